"""How switches are reached: what the intent manages of it, and in the terms of each OS."""

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.config.base import BaseSection
from nornir_tasks.design.config.reach import ApiSettings, Reach, SshSettings
from nornir_tasks.design.management import ManagementAddress
from nornir_tasks.design.partial_config import BasePolicy, ReachPolicy
from nornir_tasks.intent.base_model import BaseIntent


def policy(base: BaseIntent) -> ReachPolicy:
    """What the intent says of it."""
    return ReachPolicy(
        certificate=None if base.api is None else base.api.certificate,
        ssh_idle_minutes=None if base.ssh is None else base.ssh.idle_minutes,
    )


def sections(policy: ReachPolicy, management: ManagementAddress | None) -> frozenset[BaseSection]:
    """The sections that are managed on a switch, whose management port has this address."""
    found: dict[BaseSection, object] = {
        "api": policy.certificate,
        "api address": policy.certificate and management,
        "ssh": policy.ssh_idle_minutes,
    }
    return frozenset(section for section, value in found.items() if value is not None)


def within(base: BasePolicy, vrf: str | None, capabilities: Capabilities) -> Reach:
    """In the terms of this switch's OS; ``vrf``: its name for the management VRF, None for the default one."""
    minutes = base.reach.ssh_idle_minutes
    ssh_vrf = vrf if capabilities.ssh_is_in_one_vrf else None
    return Reach(
        api=_api(base, vrf, capabilities),
        ssh=None if minutes is None else SshSettings(minutes, ssh_vrf),
    )


def _api(base: BasePolicy, vrf: str | None, capabilities: Capabilities) -> ApiSettings | None:
    certificate, management = base.reach.certificate, base.management
    if certificate is None:
        return None
    if capabilities.api_is_bound_to == "vrf":
        return ApiSettings(certificate, vrf)
    return ApiSettings(certificate, None, management.address if management else None)

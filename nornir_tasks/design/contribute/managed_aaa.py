"""Servers of accounts: what the intent declares of them, in the terms of each OS."""

from collections.abc import Iterator, Mapping

from nornir_tasks.design.config.aaa import Radius, Tacacs
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import AaaPolicy, BasePolicy, RadiusPolicy, TacacsPolicy
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.secret_name import Secret, placeholder
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.intent.keys.site import Intent


def tacacs_policy(base: BaseIntent) -> TacacsPolicy | None:
    """In neutral terms; None: not managed."""
    found = base.aaa and base.aaa.tacacs
    return TacacsPolicy(tuple(map(str, found.servers)), _keys(found.key)) if found else None


def radius_policy(base: BaseIntent) -> RadiusPolicy | None:
    """In neutral terms; None: not managed."""
    found = base.aaa and base.aaa.radius
    return RadiusPolicy(tuple(map(str, found.servers)), _keys(found.key), found.timeout_s) if found else None


def _keys(key: Mapping[str, Secret]) -> tuple[tuple[str, str], ...]:
    return tuple((system, secret.name) for system, secret in key.items())


def tacacs_within(base: BasePolicy, vrf: str | None, capabilities: Capabilities) -> Tacacs | None:
    """On this OS; ``vrf``: its name for the management VRF. One without a key for it is refused before (``check``)."""
    name = base.tacacs and base.tacacs.key_on(capabilities.os)
    return Tacacs(base.tacacs.servers, vrf, placeholder(name)) if base.tacacs and name else None


def radius_within(base: BasePolicy, vrf: str | None, capabilities: Capabilities) -> Radius | None:
    """The same of RADIUS; a timeout that the system has by itself is none."""
    found = base.radius
    name = found and found.key_on(capabilities.os)
    if not found or not name:
        return None
    hidden = capabilities.account_facts.hidden_radius_timeout_s
    timeout_s = None if found.timeout_s == hidden else found.timeout_s
    return Radius(found.servers, vrf, placeholder(name), timeout_s)


def kinds(base: BasePolicy | None) -> Iterator[tuple[str, AaaPolicy]]:
    """The key of the intent and the servers of each kind that is declared."""
    for kind, found in (("tacacs", base.tacacs), ("radius", base.radius)) if base else ():
        if found is not None:
            yield kind, found


def check(intent: Intent, network: Network) -> None:
    """Raises DesignError for keys that are named for some systems and not for others that have switches."""
    found = tuple(dict.fromkeys(_findings(intent, network)))
    if found:
        raise DesignError(intent.marks.problems(found))


def _findings(intent: Intent, network: Network) -> Iterator[Finding]:
    for device in network.devices:
        for kind, servers in kinds(network.base.get(device.fabric)):
            if servers.key_on(device.os) is None:
                yield _without_a_key(intent, device, kind, servers)


def _without_a_key(intent: Intent, device: Device, kind: str, found: AaaPolicy) -> Finding:
    is_own = intent.has_own_base(device.fabric)
    path = ("fabrics", device.fabric, "base") if is_own else ("base",)
    known = ", ".join(system for system, _ in found.keys)
    expected = f"a secret for {device.os} as well"
    return Finding((*path, "aaa", kind, "key"), "no key for a system of its switches", expected, known)

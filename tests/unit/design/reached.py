"""The lab's rails with what says how switches are reached: API and SSH. Addresses of management ports are known."""

from dataclasses import replace
from functools import cache

from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.partial_config import BasePolicy, ReachPolicy
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.usecases.site import SiteDesign
from tests.unit.design import managed

DEVICES = managed.DEVICES
VRFS = managed.VRFS
ALLOWED = ("127.0.0.0/8", "198.51.100.0/24")
POLICY = BasePolicy(
    "MGMT",
    ntp=("192.0.2.120", "2001:db8::7b"),
    reach=ReachPolicy(certificate="fabric-2026", ssh_idle_minutes=10, allowed=ALLOWED, fabric=True),
)


@cache
def addresses() -> dict[str, ManagementAddress]:
    """Switch -> the address of its management port."""
    names = [device.name for device in managed.site().network.devices]
    return {name: ManagementAddress(f"192.0.2.{n}", 24, "192.0.2.254") for n, name in enumerate(names, start=101)}


def network(policy: BasePolicy = POLICY) -> Network:
    return replace(managed.network(policy), management=addresses())


def design(policy: BasePolicy = POLICY) -> SiteDesign:
    return replace(managed.site(), network=network(policy))


def realised(device: str, vrf: str | None = "MGMT") -> Realised:
    """``vrf``: the management VRF; None: all is reached in the default one, where EOS alone has a list."""
    has_list = vrf is not None or device == DEVICES["eos"]
    reach = POLICY.reach if has_list else replace(POLICY.reach, allowed=None)
    made = network(replace(POLICY, vrf=vrf, reach=reach))
    return device_config(made, made.device(device))

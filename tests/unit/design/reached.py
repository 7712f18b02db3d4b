"""The lab's rails with what says how switches are reached: API and SSH. Addresses of management ports are known."""

from dataclasses import replace
from functools import cache

from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.intent.keys.base import DEFAULT_VRF, BaseIntent
from nornir_tasks.usecases.site import SiteDesign
from tests.unit.design import managed

DEVICES = managed.DEVICES
VRFS = managed.VRFS
ALLOWED = ("127.0.0.0/8", "198.51.100.0/24")
CONTROL = {"allowed": ALLOWED, "fabric": True}
POLICY = managed.settings(
    ntp=("192.0.2.120", "2001:db8::7b"),
    api={"certificate": "fabric-2026"},
    ssh={"idle_minutes": 10},
    control_plane=CONTROL,
)


@cache
def addresses() -> dict[str, ManagementAddress]:
    """Switch -> the address of its management port."""
    names = [device.name for device in managed.site().network.devices]
    return {name: ManagementAddress(f"192.0.2.{n}", 24, "192.0.2.254") for n, name in enumerate(names, start=101)}


def network(policy: BaseIntent = POLICY) -> Network:
    return replace(managed.network(policy), management=addresses())


def design(policy: BaseIntent = POLICY) -> SiteDesign:
    return replace(managed.site(), network=network(policy))


def realised(device: str, vrf: str = "MGMT") -> Realised:
    """``vrf``: ``default``: all is reached in the default one, where EOS alone has a list."""
    has_list = vrf != DEFAULT_VRF or device == DEVICES["eos"]
    made = network(managed.altered(POLICY, vrf=vrf, control_plane=CONTROL if has_list else None))
    return device_config(made, made.device(device))

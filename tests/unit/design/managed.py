"""The lab's rails with managed base configuration: a switch of each system, NVUE in both spellings of NTP."""

from dataclasses import replace
from functools import cache
from typing import Literal

from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.intent.core.secret_name import Secret
from nornir_tasks.intent.keys.base import DEFAULT_VRF, BaseIntent
from nornir_tasks.usecases.site import SiteDesign, load

DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue 5.14": "spine-2", "nvue 5.16": "spine-1"}
VRFS = ("MGMT", DEFAULT_VRF)


def settings(**keys: object) -> BaseIntent:
    """These keys of ``base``, as an intent has them."""
    return BaseIntent.model_validate({"vrf": "MGMT", **keys})


def altered(base: BaseIntent, **keys: object) -> BaseIntent:
    """The same with these keys; None: without that one."""
    return BaseIntent.model_validate({**dict(base), **keys})


ACCOUNTS = {
    "ops": {"role": "admin", "hash": Secret("ops-hash")},
    "viewer": {"role": "operator", "hash": Secret("viewer-hash")},
}
POLICY = settings(
    hostname="managed",
    banner="Property of Example 7.\nAll sessions are recorded.",
    timezone="UTC",
    management="managed",
    dns={"servers": ("192.0.2.54", "2001:db8::35"), "domain": "fabric.example.net"},
    ntp=("192.0.2.120", "192.0.2.121", "2001:db8::7b"),
    syslog=("192.0.2.51", "2001:db8::33"),
    accounts=ACCOUNTS,
    aaa={"tacacs": {"servers": ("192.0.2.91", "192.0.2.92"), "key": Secret("tacacs-key")}},
)
"""All sections that every system has."""
SNMP = {
    "users": {
        "nms": {"auth": "sha", "auth_key": Secret("nms-auth"), "privacy_key": Secret("nms-privacy")},
        "probe": {"auth": "sha256", "auth_key": Secret("probe-auth"), "privacy_key": Secret("probe-privacy")},
    },
    "location": "Hall 3, row 7",
    "contact": "Network operations (noc@example.net)",
    "managers": ("192.0.2.61/32",),
    "traps": {"to": ("192.0.2.61", "2001:db8::3d"), "user": "nms"},
}
"""Of systems that take localized keys: not of NVUE."""
RADIUS = {"servers": ("192.0.2.95", "192.0.2.96"), "key": Secret("radius-key"), "timeout_s": 10}
"""Not beside TACACS+."""
SERVERS = altered(POLICY, accounts=None, aaa=None)
"""Without accounts and who is asked for them, which need secrets."""


@cache
def site() -> SiteDesign:
    return load("lab-rails")


def network(policy: BaseIntent = POLICY) -> Network:
    """With this base configuration on all of its switches; management ports that are managed are in one subnet."""
    whole = site().network
    ports = {
        each.name: ManagementAddress(f"198.51.100.{number}", 24, "198.51.100.254")
        for number, each in enumerate(whole.devices, start=1)
    }
    return replace(whole, base={"compute": policy}, management=ports if policy.management else {})


def design(policy: BaseIntent = POLICY) -> SiteDesign:
    return replace(site(), network=network(policy))


def realised(device: str, vrf: str = "MGMT", kind: Literal["tacacs", "radius"] = "tacacs") -> Realised:
    """``vrf``: ``default``: all is reached in the default one, and the management port is others'."""
    zone = "UTC" if device == DEVICES["nxos"] else "Europe/Berlin"
    policy = altered(POLICY, vrf=vrf, timezone=zone, snmp=None if device.startswith("spine") else SNMP)
    if kind == "radius":
        policy = altered(policy, aaa={"radius": RADIUS})
    made = network(policy if vrf != DEFAULT_VRF else altered(policy, management=None))
    return device_config(made, made.device(device))

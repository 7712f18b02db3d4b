"""The lab's rails with managed base configuration: a switch of each system, NVUE in both spellings of NTP."""

from dataclasses import replace
from functools import cache
from typing import Literal

from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.partial_config import (
    AccountPolicy,
    BasePolicy,
    DnsPolicy,
    RadiusPolicy,
    SnmpPolicy,
    SnmpUserPolicy,
    TacacsPolicy,
)
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.usecases.site import SiteDesign, load

DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue 5.14": "spine-2", "nvue 5.16": "spine-1"}
VRFS = ("MGMT", None)
ACCOUNTS = (
    AccountPolicy("ops", "admin", (("", "ops-hash"),)),
    AccountPolicy("viewer", "operator", (("", "viewer-hash"),)),
)
POLICY = BasePolicy(
    "MGMT",
    hostname=True,
    banner="Property of Example 7.\nAll sessions are recorded.",
    port=True,
    dns=DnsPolicy(("192.0.2.54", "2001:db8::35"), "fabric.example.net"),
    ntp=("192.0.2.120", "192.0.2.121", "2001:db8::7b"),
    syslog=("192.0.2.51", "2001:db8::33"),
    accounts=ACCOUNTS,
    tacacs=TacacsPolicy(("192.0.2.91", "192.0.2.92"), (("", "tacacs-key"),)),
)
"""All sections that every system has."""
SNMP = SnmpPolicy(
    users=(
        SnmpUserPolicy("nms", "sha", "nms-auth", "nms-privacy"),
        SnmpUserPolicy("probe", "sha256", "probe-auth", "probe-privacy"),
    ),
    form="v1",
    location="Hall 3, row 7",
    contact="Network operations (noc@example.net)",
    managers=("192.0.2.61/32",),
    targets=("192.0.2.61", "2001:db8::3d"),
    target_user="nms",
)
"""Of systems that take localized keys: not of NVUE."""
RADIUS = RadiusPolicy(("192.0.2.95", "192.0.2.96"), (("", "radius-key"),), timeout_s=10)
"""Not beside TACACS+."""
SERVERS = replace(POLICY, accounts=None, tacacs=None)
"""Without accounts and who is asked for them, which need secrets."""


@cache
def site() -> SiteDesign:
    return load("lab-rails")


def network(policy: BasePolicy = POLICY) -> Network:
    """With this base configuration on all of its switches; management ports that are managed are in one subnet."""
    whole = site().network
    ports = {
        each.name: ManagementAddress(f"198.51.100.{number}", 24, "198.51.100.254")
        for number, each in enumerate(whole.devices, start=1)
    }
    return replace(whole, base={"compute": policy}, management=ports if policy.port else {})


def design(policy: BasePolicy = POLICY) -> SiteDesign:
    return replace(site(), network=network(policy))


def realised(device: str, vrf: str | None = "MGMT", kind: Literal["tacacs", "radius"] = "tacacs") -> Realised:
    """``vrf``: the management VRF; None: all is reached in the default one, and the management port is others'."""
    policy = replace(POLICY, snmp=None if device.startswith("spine") else SNMP)
    if kind == "radius":
        policy = replace(policy, tacacs=None, radius=RADIUS)
    made = network(policy if vrf else replace(policy, vrf=None, port=False))
    return device_config(made, made.device(device))

"""tests/sites/front with EOS alone, whose switches have lists of what comes by ports other than the management port."""

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.contribute import fabric_list
from nornir_tasks.design.contribute.managed_base import of_switch
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.intent.core.secret_name import Secret
from nornir_tasks.usecases.site import SiteDesign, load
from tests.unit.design import managed

SITE = Path(__file__).parents[2] / "sites" / "front" / "fabric.yml"
ALLOWED = ("192.0.2.0/28", "127.0.0.0/8")
OUT_OF_BAND: dict[str, Any] = {"vrf": "MGMT", "control_plane": {"allowed": list(ALLOWED), "fabric": True}}
IN_BAND: dict[str, Any] = {
    "vrf": "default",
    "ntp": ["192.0.2.123", "2001:db8::7b"],
    "dns": {"servers": ["192.0.2.53", "2001:db8::35"]},
    "syslog": ["192.0.2.51"],
    "control_plane": {"allowed": list(ALLOWED), "fabric": True},
}
SIX = "2001:db8::53"
"""A DHCP server of IPv6, which the site's intent has none of."""


def text(base: dict[str, Any] = OUT_OF_BAND) -> str:
    """The site's file."""
    data = yaml.safe_load(SITE.read_text(encoding="utf-8"))
    for name, model in (("compute", "7060DX5-64S"), ("front", "7050SX3-48YC8")):
        fabric = data["fabrics"][name]
        fabric["leaf"].pop("overrides", None)
        fabric["leaf"] |= {"platform": "eos", "release": "4.33.1F", "model": model}
        fabric["spine"] |= {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}
    return yaml.safe_dump({**data, "base": base}, sort_keys=False)


@cache
def site(*, in_band: bool = False) -> SiteDesign:
    """Designed; ``in_band``: managed in the default VRF."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fabric.yml").write_text(text(IN_BAND if in_band else OUT_OF_BAND), encoding="utf-8")
        return load(folder)


def network(*, in_band: bool = False) -> Network:
    """In band with servers of accounts and managers of SNMP, whose secrets no file of a test has."""
    found = site(in_band=in_band).network
    if not in_band:
        return found
    radius = {"servers": ("192.0.2.95", "2001:db8::5f"), "key": Secret("radius-key")}
    more = {"aaa": {"radius": radius}, "snmp": managed.SNMP}
    return replace(found, base={name: managed.altered(each, **more) for name, each in found.base.items()})


def configs(of: Network) -> dict[str, DeviceConfig]:
    """Every switch; those that relay DHCP do so to a server of IPv6 as well."""
    found = {}
    for each in device_configs(of):
        policy = of_switch(of, of.device(each.config.name))
        assert policy is not None
        ports = tuple(_relaying(port) for port in each.config.interfaces)
        found[each.config.name] = fabric_list.joined(replace(each.config, interfaces=ports), policy)
    return found


def _relaying(port: Interface) -> Interface:
    servers = (*port.dhcp_servers, SIX)
    return replace(port, dhcp_servers=servers) if port.dhcp_servers and port.ipv6_address else port

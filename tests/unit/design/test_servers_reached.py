"""Servers of the base that the lists of the switches' own out-of-band plane keep them from are refused by place."""

from typing import Any

import pytest

from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.secret_name import Secret
from tests.unit.design import fabric_listed, out_of_band


def asking(kind: str, server: str) -> dict[str, Any]:
    """A base whose logins ask a server of this kind."""
    accounts = {"ops": {"role": "admin", "hash": Secret("ops-hash")}}
    return {"accounts": accounts, "aaa": {kind: {"servers": [server], "key": Secret("a-key")}}}


def snmp(**more: Any) -> dict[str, Any]:
    """A base with SNMP, whose control list lets managers in."""
    user = {"nms": {"auth_key": Secret("nms-auth"), "privacy_key": Secret("nms-privacy")}}
    return {"control_plane": {"allowed": ["10.183.0.0/16"]}, "snmp": {"users": user, **more}}


def refused(base: dict[str, Any], *flows: dict[str, Any]) -> list[str]:
    """The refusals of a site with this base, and these flows beside its own on the out-of-band plane."""
    data = out_of_band.with_out_of_band(out_of_band.rails())
    own = data["planes"]["oob"]
    own["flows"] = [*own["flows"], *flows]
    own["services"] = {**own["services"], "log": {"udp": 514}, "names": {"udp": 53, "tcp": 53}, "asked": {"udp": 161}}
    data["base"] = base
    if "snmp" in base:  # which Cumulus Linux has not
        _on_eos(data["fabrics"]["compute"])
        data["fabrics"]["oob"]["base"] = {"syslog": ()}
    try:
        out_of_band.designed(data)
    except DesignError as error:
        return [str(each) for each in error.problems]
    return []


def _on_eos(fabric: dict[str, Any]) -> None:
    system = {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}
    for tier in ("leaf", "spine"):
        fabric[tier].pop("overrides", None)
        fabric[tier] |= system


def bastion() -> str:
    """The first address of the group that may enter the plane."""
    found = out_of_band.designed(out_of_band.with_out_of_band(out_of_band.rails())).ends_of_flows["oob"]["bastion"]
    return str(found.prefixes["ipv4"][0]).partition("/")[0]


@pytest.mark.parametrize(
    ("base", "place", "port"),
    [
        ({"ntp": ["192.0.2.1"]}, "base.ntp[0]", "UDP port 123"),
        ({"syslog": ["192.0.2.2"]}, "base.syslog[0]", "UDP port 514"),
        ({"dns": {"servers": ["192.0.2.3"]}}, "base.dns.servers[0]", "UDP port 53"),
        (asking("tacacs", "192.0.2.4"), "base.aaa.tacacs.servers[0]", "TCP port 49"),
        (asking("radius", "192.0.2.5"), "base.aaa.radius.servers[0]", "UDP port 1812"),
        (snmp(traps={"to": ["192.0.2.6"], "user": "nms"}), "base.snmp.traps.to[0]", "UDP port 162"),
    ],
)
def test_a_server_that_no_flow_leads_to_is_named(base: dict[str, Any], place: str, port: str) -> None:
    (found,) = refused(base)
    assert found.startswith(f"intent: {place}: the lists of plane oob let no switch reach this server")
    assert f"an address of bastion ({bastion()}/32" in found
    assert f"a flow to it with {port}" in found
    assert "add {source: switches, destination: bastion, services: [" in found


def test_a_flow_to_the_servers_group_with_its_port_is_enough_and_one_of_another_port_is_not() -> None:
    assert refused({"ntp": [bastion()]}) == [], "the site has that flow"
    there = {"source": "switches", "destination": "bastion"}
    assert refused({"syslog": [bastion()]}, {**there, "services": ["log"]}) == []
    for flow in (
        {**there, "services": ["names"]},
        {"source": "bastion", "destination": "switches", "services": ["log"]},
    ):
        assert len(refused({"syslog": [bastion()]}, flow)) == 1


def test_managers_that_no_flow_lets_to_the_switches_are_named() -> None:
    asks = {"source": "bastion", "destination": "switches"}
    (found,) = refused(snmp(managers=[f"{bastion()}/32"]))
    assert found.startswith("intent: base.snmp.managers[0]: the lists of plane oob let no switch be asked")
    assert "add {source: bastion, destination: switches, services: [snmp]} to flows of plane oob" in found
    assert len(refused(snmp(managers=[f"{bastion()}/32"]), {**asks, "services": ["log"]})) == 1
    assert refused(snmp(managers=[f"{bastion()}/32"]), {**asks, "services": ["asked"]}) == []
    assert refused(snmp(managers=["10.183.0.0/16"]), {**asks, "services": ["asked"]}) == [], "it holds bastion's"
    (found,) = refused(snmp(managers=["192.0.2.0/24"]), {**asks, "services": ["asked"]})
    assert "192.0.2.0/24" in found


def test_switches_that_ask_in_the_default_vrf_meet_no_list_of_the_plane() -> None:
    assert refused({"vrf": "default", "ntp": ["192.0.2.1"]}) == []


def test_a_server_whose_answers_the_switches_own_control_list_refuses_is_named() -> None:
    def names_the_list(*allowed: str) -> bool:
        base = {**asking("radius", "192.0.2.5"), "control_plane": {"allowed": ["10.183.0.0/16", *allowed]}}
        return any("control_plane.allowed" in each for each in refused(base))

    assert names_the_list()
    assert not names_the_list("192.0.2.5/32")


def test_in_band_the_list_of_the_default_vrf_lets_in_the_answers_of_every_server() -> None:
    network = fabric_listed.network(in_band=True)
    assert all(each.management_vrf is None and each.aaa is not None for each in network.base.values())
    for config in fabric_listed.configs(network).values():
        let_in = {(rule.source, rule.source_ports) for each in config.base.reach.fabric for rule in each.rules}
        servers = [("192.0.2.123/32", 123), ("192.0.2.53/32", 53), ("192.0.2.95/32", 1812), ("2001:db8::7b/128", 123)]
        assert {(address, (port, port)) for address, port in servers} <= let_in, config.name

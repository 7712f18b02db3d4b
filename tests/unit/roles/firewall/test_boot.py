"""What the firewall's files say of a boot and of a restart of its daemons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

ROLE = Path(__file__).parents[4] / "roles" / "firewall"
VALUES: dict[str, Any] = {
    "firewall_zones": [{"port": "wan"}, {"port": "bond0.7"}],
    "firewall_sync": {"port": "sync", "address": "10.191.0.1/30", "peer": "10.191.0.2"},
    "firewall_management": {"port": "mgmt"},
    "firewall_connections": 262144,
}


def rendered(template: str, **more: Any) -> list[str]:
    private = yaml.safe_load((ROLE / "vars" / "main.yml").read_text())
    text = (ROLE / "templates" / template).read_text()
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False)
    return environment.from_string(text).render(**{**private, **more}).splitlines()


def test_no_port_sends_redirects_whatever_the_kernel_began_with() -> None:
    private = yaml.safe_load((ROLE / "vars" / "main.yml").read_text())
    trusted = {
        name: trust_as_template(value) if isinstance(value, str) else value
        for name, value in private.items()
        if name in {"__firewall_ports", "__firewall_port_settings"}
    }
    templar = Templar(DataLoader(), variables={**VALUES, **trusted})
    found = templar.template(trust_as_template("{{ __firewall_port_settings }}"))
    assert found == {f"net/ipv4/conf/{port}/send_redirects": 0 for port in ("wan", "bond0.7", "sync", "mgmt")}


def test_rules_are_loaded_before_the_kernel_is_told_to_forward() -> None:
    (before,) = [line for line in rendered("firewall.service.j2") if line.startswith("Before=")]
    assert "systemd-sysctl.service" in before.partition("=")[2].split()


def test_the_daemon_of_connections_waits_for_the_address_that_it_listens_on() -> None:
    lines = rendered("conntrackd-dropin.conf.j2")
    assert {"Wants=network-online.target", "After=network-online.target"} <= set(lines)


def test_a_restarted_daemon_asks_for_the_other_ones_connections() -> None:
    values = {**VALUES, "firewall_zones": [], "firewall_sync_port": 3780}
    assert "\t\tStartupResync On" in rendered("conntrackd.conf.j2", **values)


def test_a_firewall_whose_rules_did_not_load_takes_no_addresses() -> None:
    lines = rendered("keepalived-dropin.conf.j2")
    (asks,) = [line for line in lines if line.startswith("ExecStartPre=/")]
    assert "nft list counters table inet gpufabric_firewall" in asks
    (after,) = [line for line in lines if line.startswith("After=")]
    assert "gpufabric-firewall.service" in after.partition("=")[2].split()


def test_a_keepalived_that_dies_comes_back_however_often() -> None:
    lines = rendered("keepalived-dropin.conf.j2")
    assert {"StartLimitIntervalSec=0", "Restart=on-failure", "RestartSec=2"} <= set(lines)
    assert lines.index("[Unit]") < lines.index("StartLimitIntervalSec=0") < lines.index("[Service]")

"""The edge routers of tests/sites/edge in namespaces: each an FRR with what its own system is given.

The VLAN to the firewalls is a bridge beside them; a port of the design ends a cable to an upstream, which is an FRR as
well and says what a test has it say.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from loaded_twins import loaded

from nornir_tasks.design.model.edge_policy import EdgeTerms
from nornir_tasks.usecases.site import BOUNDARY, SiteDesign
from switch_twins.routed.conf import configuration, text
from switch_twins.routed.daemons import Frr, release
from switch_twins.routed.form import Routing
from switch_twins.routed.lists import ruleset
from switch_twins.routed.names import kernel_name
from switch_twins.server import LabServer
from tests.unit.design.edge_systems import design_of

WIRES, FIREWALLS = "wires", "firewalls"


def run(*command: str, text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr or done.stdout}"
    return done.stdout


class EdgePair:
    """``folder`` holds what the daemons need, where the user that they run as can reach it; ``secrets``: values."""

    def __init__(self, site: Path, folder: Path, twins: Path, secrets: Mapping[str, str] | None = None) -> None:
        self.design: SiteDesign = design_of(site)
        self.lab: LabServer = loaded(self.design, [BOUNDARY], twins, secrets=secrets)
        assert self.design.network.edge is not None
        self.terms: EdgeTerms = self.design.network.edge
        self.routers = [each for each in self.design.network.devices if each.fabric == self.terms.fabric]
        self.upstreams = [each.name for each in self.terms.outside_links]
        self.prefix, self.folder = f"edge{os.getpid()}", folder
        self.frr = {name: Frr(self.namespace(name), folder / name) for name in (*self.names, *self.upstreams)}

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.routers]

    def namespace(self, who: str) -> str:
        return f"{self.prefix}-{who}"

    # -- made and removed -------------------------------------------------------------------------------------------

    def build(self) -> None:
        self.folder.mkdir(mode=0o755)
        for who in self.everybody:
            run("ip", "netns", "add", self.namespace(who))
            run("ip", "-n", self.namespace(who), "link", "set", "lo", "up")
        self.wire_inside()
        self.wire_outside()
        for each in self.frr.values():
            each.start()

    @property
    def everybody(self) -> list[str]:
        return [WIRES, FIREWALLS, *self.names, *self.upstreams]

    def wire_inside(self) -> None:
        """The VLAN, with the firewalls on it."""
        run("ip", "-n", self.namespace(WIRES), "link", "add", "lan", "type", "bridge")
        run("ip", "-n", self.namespace(WIRES), "link", "set", "lan", "up")
        for place, router in enumerate(self.routers):
            svi = kernel_name(f"{router.capabilities.svi_prefix}{self.terms.vlan}")
            own = (self.with_length(each.own[place], each.subnet) for each in self.terms.inside_links)
            self.on_lan(router.name, svi, own)
        self.on_lan(
            FIREWALLS, "wan", (self.with_length(each.firewalls, each.subnet) for each in self.terms.inside_links)
        )

    def wire_outside(self) -> None:
        """The upstreams' cables."""
        for link in self.terms.outside_links:
            port, far = kernel_name(link.port), self.namespace(link.name)
            near = ["link", "add", "name", port, "netns", self.namespace(link.device), "type", "veth"]
            run("ip", *near, "peer", "name", "uplink", "netns", far)
            self.up(link.device, port, (each.address for each in link.sessions))
            self.up(link.name, "uplink", (self.with_length(each.peer, each.address) for each in link.sessions))

    @staticmethod
    def with_length(address: str, prefix: str) -> str:
        return f"{address}/{prefix.partition('/')[2]}"

    def on_lan(self, who: str, port: str, addresses: Iterable[str]) -> None:
        near = ["link", "add", "name", port, "netns", self.namespace(who), "type", "veth"]
        run("ip", *near, "peer", "name", who, "netns", self.namespace(WIRES))
        run("ip", "-n", self.namespace(WIRES), "link", "set", who, "master", "lan", "up")
        self.up(who, port, addresses)

    def up(self, who: str, port: str, addresses: Iterable[str]) -> None:
        # a port that goes down and comes back keeps its IPv6 addresses, as on switches
        run("ip", "netns", "exec", self.namespace(who), "sysctl", "-q", "-w", "net.ipv6.conf.all.keep_addr_on_down=1")
        for address in addresses:
            nodad = ["nodad"] if ":" in address else []
            run("ip", "-n", self.namespace(who), "address", "add", address, "dev", port, *nodad)
        run("ip", "-n", self.namespace(who), "link", "set", port, "up")

    def end(self) -> None:
        for each in self.frr.values():
            each.stop()
        for who in self.everybody:
            subprocess.run(["ip", "netns", "delete", self.namespace(who)], check=False)
        subprocess.run(["rm", "-rf", str(self.folder)], check=False)

    # -- told -------------------------------------------------------------------------------------------------------

    def configure(self) -> None:
        """Each router is given what FRR and nftables make of its own system's configuration, all of it."""
        for name in self.names:
            routing, lines = self.configured(name)
            assert not routing.refused, [str(each) for each in routing.refused]
            self.nft(name, ruleset(routing.lists, routing.bound))
            self.frr[name].tell(lines)

    def configured(self, name: str) -> tuple[Routing, str]:
        """What is read out of a configuration, and FRR's lines of it."""
        twin = self.lab.twins[name]
        routing: Routing = import_module(f"switch_twins.{twin.device.os}.to_frr").routing(twin, has_devices=True)
        return routing, text(configuration(twin.state(), routing, release()))

    def nft(self, who: str, lines: str) -> None:
        """Rules of a namespace."""
        run("ip", "netns", "exec", self.namespace(who), "nft", "-f", "-", text=lines)

    def lan(self, who: str, state: str) -> None:
        """The VLAN of a router (or the firewalls) goes down as if nothing were cabled to it, or comes back."""
        run("ip", "-n", self.namespace(WIRES), "link", "set", who, state)

    # -- asked ------------------------------------------------------------------------------------------------------

    def heard(self, who: str, family: str, neighbor: str) -> set[str]:
        """The prefixes that somebody has from a neighbour, after his own policies."""
        shown = self.ask(who, f"show bgp {family} unicast neighbors {neighbor} routes json")
        return set(shown.get("routes", {}))

    def table(self, who: str, family: str) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = self.ask(who, f"show bgp {family} unicast json").get("routes", {})
        return found

    def session(self, who: str, neighbor: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ask(who, f"show bgp neighbors {neighbor} json").get(neighbor, {})
        return found

    def is_up(self, who: str, neighbor: str) -> bool:
        return self.session(who, neighbor).get("bgpState") == "Established"

    def ask(self, who: str, command: str) -> Any:
        return self.frr[who].ask("bgpd", command)

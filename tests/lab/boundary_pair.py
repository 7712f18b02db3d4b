"""Firewalls of tests/sites/boundary in namespaces, by the role's own templates, and what is behind each port."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import yaml

from nornir_tasks.design.hosts.boundary_vars import firewall_host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "tests" / "sites" / "boundary" / "fabric.yml"
ROLE = ROOT / "roles" / "firewall"
NEEDED = {"nft": "nftables", "keepalived": "keepalived", "conntrackd": "conntrackd", "conntrack": "conntrack"}
ZONES = {"outside": "wan", "dmz": "dmz", "business": "lan"}


@cache
def site(file: Path = SITE) -> tuple[Intent, Network]:
    intent = load_intent(file)
    return intent, design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})


def groups() -> dict[str, list[str]]:
    """Group of hosts -> its subnets on the plane that the boundary reaches."""
    found: dict[str, list[str]] = {}
    for each in site()[1].segments:
        for group in each.groups if each.plane == "business" else ():
            found.setdefault(group, []).extend(filter(None, (each.subnet, each.subnet_v6)))
    return found


@cache
def values(firewall: str = "firewall-1", file: Path = SITE) -> Mapping[str, Any]:
    """Variables of a firewall's roles."""
    return firewall_host_vars(*site(file))[firewall].ansible()


def rendered(template: str, firewall: str = "firewall-1", *, file: Path = SITE, role: Path = ROLE, **more: Any) -> str:
    """A file as the role writes it."""
    loader = jinja2.FileSystemLoader(role / "templates")
    environment = jinja2.Environment(
        loader=loader, trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    environment.tests["search"] = lambda value, word: word in value
    defaults = yaml.safe_load((role / "defaults" / "main.yml").read_text())
    private = yaml.safe_load((role / "vars" / "main.yml").read_text())
    given = {**defaults, **private, **values(firewall, file), "inventory_hostname": firewall, **more}
    return environment.get_template(template).render(**given)


def run(*command: str, **more: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr or done.stdout}"
    return done.stdout


class Pair:
    """Namespaces of one test: firewalls, a segment for each zone, and who stands in the zones.

    ``file``: the site's; ``zones``: those that are segments here, with the firewalls' ports there.
    """

    def __init__(self, firewalls: Sequence[str], file: Path = SITE, zones: Mapping[str, str] = ZONES) -> None:
        self.prefix = f"fw{os.getpid()}"
        self.firewalls, self.file, self.zones = firewalls, file, zones
        self.processes: list[subprocess.Popen[str]] = []
        self.namespaces: list[str] = []

    def name(self, who: str) -> str:
        return f"{self.prefix}-{who}"

    def inside(self, who: str, *command: str, **more: Any) -> str:
        return run("ip", "netns", "exec", self.name(who), *command, **more)

    def start(self, who: str, *command: str, **more: Any) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.name(who), *command],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **more,
        )
        self.processes.append(process)
        return process

    def namespace(self, who: str) -> None:
        run("ip", "netns", "add", self.name(who))
        self.namespaces.append(who)
        run("ip", "-n", self.name(who), "link", "set", "lo", "up")
        # Until its link-local address is known to be nobody else's, a port asks for no neighbour's address.
        self.inside(who, "sysctl", "-q", "-w", *(f"net.ipv6.conf.{each}.accept_dad=0" for each in ("all", "default")))

    def build(self) -> None:
        """Bridges in a namespace of their own; every zone has one, and so have the firewalls' sync ports."""
        self.namespace("wires")
        for who in (*self.firewalls, *self.zones):
            self.namespace(who)
        for port in (*self.zones.values(), "sync"):
            run("ip", "-n", self.name("wires"), "link", "add", f"br-{port}", "type", "bridge")
            run("ip", "-n", self.name("wires"), "link", "set", f"br-{port}", "up")
        for firewall in self.firewalls:
            for port in (*self.ports, "sync"):
                self.cable(firewall, port)
            sysctls = ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1", "net.ipv4.conf.all.rp_filter=0"]
            sysctls += [f"net.ipv4.conf.{port}.rp_filter=0" for port in self.ports]
            self.inside(firewall, "sysctl", "-q", "-w", *sysctls)
            for zone in values(firewall, self.file)["firewall_zones"]:
                for key in ("address", "address_v6"):
                    nodad = ["nodad"] if key == "address_v6" else []
                    self.ip(firewall, "address", "add", zone[key], "dev", zone["port"], *nodad)
            self.ip(firewall, "address", "add", values(firewall, self.file)["firewall_sync"]["address"], "dev", "sync")
        for zone, port in self.zones.items():
            self.cable(zone, port)

    @property
    def ports(self) -> list[str]:
        """The firewalls' ports in zones."""
        return [each["port"] for each in values(file=self.file)["firewall_zones"]]

    @property
    def shared(self) -> frozenset[str]:
        """Addresses of the pair: those of the links, and published ones."""
        zones = values(file=self.file)["firewall_zones"]
        links = (each[key] for each in zones for key in ("shared", "shared_v6") if each[key])
        return frozenset((*links, *(address for each in zones for address in each["published"])))

    @staticmethod
    def far(who: str, port: str) -> str:
        """The other end of a port's cable, among the wires."""
        return f"{who[:4]}{who[-2:]}-{port}"

    def cable(self, who: str, port: str) -> None:
        far = self.far(who, port)
        near = ["link", "add", "name", port, "netns", self.name(who), "type", "veth"]
        run("ip", *near, "peer", "name", far, "netns", self.name("wires"))
        run("ip", "-n", self.name("wires"), "link", "set", far, "master", f"br-{port}", "up")
        self.ip(who, "link", "set", port, "up")

    def cut(self, who: str, port: str, state: str) -> None:
        """A port's cable goes down at its far end, or comes back."""
        self.ip("wires", "link", "set", self.far(who, port), state)

    def ip(self, who: str, *command: str) -> None:
        run("ip", "-n", self.name(who), *command)

    def settle(self, addresses: Mapping[str, Sequence[str]], prefixes: Mapping[str, Sequence[str]]) -> None:
        """Addresses in each zone, all at its port, with a way back by the firewalls' shared address."""
        zones = {each["name"]: each for each in values(self.firewalls[0], self.file)["firewall_zones"]}
        for zone, port in self.zones.items():
            own = prefixes[zone]
            lines = [f"address add {each} dev {port} nodad" for each in own]
            lines += [
                f"address add {each} dev {port} nodad" if ":" in each else f"address add {each}/32 dev {port}"
                for each in addresses[zone]
                if each not in {one.partition("/")[0] for one in own}
            ]
            for key in ("shared", "shared_v6"):
                lines.append(f"route add default via {zones[zone][key].partition('/')[0]}")
            run("ip", "-n", self.name(zone), "-batch", "-", input="\n".join(lines) + "\n")

    def load(self, firewall: str, ruleset: str) -> None:
        """Rules, and no connection that others let in."""
        self.inside(firewall, "nft", "-f", "-", input=ruleset)
        self.inside(firewall, "conntrack", "-F")

    def zone(
        self, name: str, addresses: Sequence[str], listen: Mapping[str, Any], jobs: Sequence[Any]
    ) -> Callable[[], Any]:
        """Something in a zone; calling it sends its jobs, and reading gives what it saw."""
        process = self.start(name, sys.executable, "-I", str(Path(__file__).with_name("boundary_zone.py")))
        wanted = {"port": self.zones.get(name, ""), "addresses": list(addresses), "listen": listen, "jobs": jobs}
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        stdin.write(json.dumps(wanted) + "\n")
        stdin.flush()
        assert stdout.readline() == "ready\n"

        def go() -> Callable[[], Any]:
            stdin.write("go\n")
            stdin.flush()
            return lambda: json.loads(stdout.readline())

        return go

    def end(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(10)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
        for who in self.namespaces:
            subprocess.run(["ip", "netns", "delete", self.name(who)], check=False)

"""Both load balancers of tests/sites/boundary in namespaces, by the role's own templates, with clients and servers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
import yaml
from boundary_pair import ROOT, Pair, run, site

from nornir_tasks.design.hosts.load_balancer_vars import load_balancer_host_vars

ROLE = ROOT / "roles" / "load_balancer"
STANDINS = ROOT / "tests" / "standins" / "published"
NEEDED = {"haproxy": "haproxy", "keepalived": "keepalived"}
BALANCERS = ("balancer-1", "balancer-2")
PORT = "dmz"
FAR = "dmz"
"""Behind the port: the firewalls' shared address, and by that clients and servers."""
CLIENTS = {4: "198.51.100.7", 6: "2001:db8:900::7"}
OTHER_CLIENT = "198.51.100.8"


def values(balancer: str) -> dict[str, Any]:
    """Of one on a machine of its own; empty for others, which have theirs given."""
    found = load_balancer_host_vars(*site())
    return found[balancer].ansible() if balancer in found else {}


def rendered(template: str, **more: Any) -> str:
    """A file as the role writes it."""
    loader = jinja2.FileSystemLoader(ROLE / "templates")
    environment = jinja2.Environment(
        loader=loader, trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    private = yaml.safe_load((ROLE / "vars" / "main.yml").read_text())
    given = {"load_balancer_certificates": {"portal": "a file"}, "load_balancer_connections": 1000}
    named = {**defaults, **private, **given, **more}
    environment.filters["dict2items"] = lambda each: [{"key": key, "value": each[key]} for key in each]
    return environment.get_template(template).render(**named)


class Balancer:
    """One of the pair, with its daemons."""

    def __init__(self, pair: Pair, name: str, folder: Path, certificates: Path, **more: Any) -> None:
        self.pair, self.name, self.folder = pair, name, folder
        (folder / "certificates").mkdir(parents=True)
        portal = (certificates / "portal.pem").read_text()
        (folder / "certificates" / "gpufabric-portal.pem").write_text(portal)
        names = {
            "__load_balancer_name": name,
            "__load_balancer_works": str(folder / "works.sh"),
            "__load_balancer_socket": str(folder / "socket"),
            "__load_balancer_log": "stdout format raw",
            "__load_balancer_user": "",
        }
        for template in ("haproxy.cfg", "keepalived.conf", "sysctl.conf"):
            (folder / template).write_text(rendered(f"{template}.j2", **{**values(name), **names, **more}))
        # In place of systemd, which knows whether HAProxy runs.
        (folder / "works.sh").write_text(f'#!/bin/sh\nkill -0 "$(cat {folder}/haproxy.pid)"\n')
        (folder / "works.sh").chmod(0o755)
        self.haproxy: subprocess.Popen[str] | None = None
        self.keepalived: subprocess.Popen[str] | None = None
        self.log = (folder / "log").open("a")

    def judged(self) -> None:
        """By both programs, as the role has it."""
        self.pair.inside(self.name, "haproxy", "-c", "-q", "-f", str(self.folder / "haproxy.cfg"))
        self.pair.inside(self.name, "keepalived", "-t", "-f", str(self.folder / "keepalived.conf"))

    def serve(self) -> None:
        """HAProxy runs."""
        command = [
            "haproxy",
            "-W",
            "-db",
            "-f",
            str(self.folder / "haproxy.cfg"),
            "-p",
            str(self.folder / "haproxy.pid"),
        ]
        self.haproxy = self.pair.start(self.name, *command, stderr=self.log)

    def share(self) -> None:
        """Keepalived runs."""
        own = [f"--{kind}={self.folder / kind}" for kind in ("pid", "vrrp_pid")]
        command = ["keepalived", "--dont-fork", "--vrrp", "--log-console", "--log-detail", *own]
        self.keepalived = self.pair.start(
            self.name, *command, "--use-file", str(self.folder / "keepalived.conf"), stderr=self.log
        )

    def addresses(self) -> set[str]:
        """The published ones that it has now."""
        shown = json.loads(self.pair.inside(self.name, "ip", "-j", "address", "show", "dev", PORT))
        published = {address for each in values(self.name)["load_balancer_published"] for address in each["addresses"]}
        return {each["local"] for port in shown for each in port["addr_info"]} & published

    def cut(self, state: str) -> None:
        """Its cable."""
        self.pair.ip("wires", "link", "set", self.pair.far(self.name, PORT), state)


class Site:
    """Both, and what is behind their port."""

    def __init__(self, folder: Path) -> None:
        self.pair, self.folder = Pair(BALANCERS), folder
        run(sys.executable, str(STANDINS / "certificates.py"), str(folder / "made"))
        self.sick = folder / "sick"

    def build(self, **more: Any) -> list[Balancer]:
        """Wires, addresses, routes, servers, and both balancers, which do not run yet; ``more``: variables of both."""
        pair = self.pair
        for who in ("wires", *BALANCERS, FAR):
            pair.namespace(who)
        run("ip", "-n", pair.name("wires"), "link", "add", f"br-{PORT}", "type", "bridge")
        run("ip", "-n", pair.name("wires"), "link", "set", f"br-{PORT}", "up")
        for who in (*BALANCERS, FAR):
            pair.cable(who, PORT)
        both = [Balancer(pair, name, self.folder / name, self.folder / "made", **more) for name in BALANCERS]
        for each in both:
            its = values(each.name)
            each.pair.inside(each.name, "sysctl", "-q", "-p", str(each.folder / "sysctl.conf"))
            for key in ("", "_v6"):
                nodad = ["nodad"] if key else []
                pair.ip(each.name, "address", "add", its[f"load_balancer_address{key}"], "dev", PORT, *nodad)
                pair.ip(each.name, "route", "add", "default", "via", its[f"load_balancer_gateway{key}"])
        self.behind({**values(BALANCERS[0]), **more})
        return both

    def behind(self, its: dict[str, Any]) -> None:
        """The firewalls' shared address, clients and servers."""
        lengths = {key: its[f"load_balancer_address{key}"].partition("/")[2] for key in ("", "_v6")}
        own = [f"{its[f'load_balancer_gateway{key}']}/{length}" for key, length in lengths.items()]
        servers = [
            (each["name"], each["address"], one["server_port"])
            for one in its["load_balancer_published"]
            for each in one["servers"]
        ]
        hosts = dict.fromkeys([*CLIENTS.values(), OTHER_CLIENT, *(address for _, address, _ in servers)])
        for each in (*own, *(f"{host}/{128 if ':' in host else 32}" for host in hosts)):
            self.pair.ip(FAR, "address", "add", each, "dev", PORT, *(["nodad"] if ":" in each else []))
        named = [f"{name}={address}:{port}" for name, address, port in servers]
        process = self.pair.start(FAR, sys.executable, "-I", str(STANDINS / "server.py"), str(self.sick), *named)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

    def client(self, family: int, port: str, how: str) -> list[str]:
        """A client of a published address."""
        (portal,) = values(BALANCERS[0])["load_balancer_published"]
        address = next(each for each in portal["addresses"] if (":" in each) == (family == 6))
        program = [sys.executable, "-I", str(STANDINS / "client.py"), str(self.folder / "made" / "authority.pem")]
        return [*program, CLIENTS[family], address, port, how]

    def quiet(self, source: str, port: int, how: str, count: int) -> Callable[[str], str]:
        """Clients that connect and say nothing; calling it asks for something of them (quiet.py)."""
        (portal,) = values(BALANCERS[0])["load_balancer_published"]
        address = next(each for each in portal["addresses"] if (":" in each) == (":" in source))
        program = [sys.executable, "-I", str(STANDINS / "quiet.py"), str(self.folder / "made" / "authority.pem")]
        process = self.pair.start(FAR, *program, source, address, str(port), how, str(count))
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        assert stdout.readline() == "ready\n"

        def say(word: str) -> str:
            stdin.write(f"{word}\n")
            stdin.flush()
            return stdout.readline().strip()

        return say

    def answer(self, family: int, port: str, how: str) -> str:
        """What a client gets."""
        return self.pair.inside(FAR, *self.client(family, port, how)).strip()

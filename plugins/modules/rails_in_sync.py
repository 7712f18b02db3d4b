"""Ansible module: bring the rails of the running host to what its configuration says. See DOCUMENTATION."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.adopt_live import take_down
from ansible_collections.gpufabric.host.plugins.module_utils.manager_commands import (
    CommandFailedError,
    Commands,
    differ,
)
from ansible_collections.gpufabric.host.plugins.module_utils.networkd_others import NOW
from ansible_collections.gpufabric.host.plugins.module_utils.rail_drift import (
    at_risk,
    found_lines,
    found_of,
    is_rule_of,
    needs_manager,
    rule_line,
    rule_of,
    stale_rules,
    wanted_lines,
)
from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import (
    CannotReadError,
    Run,
    collect,
    runner,
)
from ansible_collections.gpufabric.host.plugins.module_utils.way_in import session

DOCUMENTATION = r"""
module: rails_in_sync
short_description: Bring the rails of the running host to what its configuration says
description:
  - The files of the network manager say what holds at boot; this module makes it hold now, without a reboot. It
    compares the kernel's names, link states, MTUs, IPv4 addresses, routes, rules and settings of the rails with what is
    wanted, and where they differ renames interfaces, sets the settings and has the manager configure those rails again.
  - Interfaces other than the rails are not touched. The manager is told to read its files, and restarted
    only if O(restart_networkd) says so.
  - Ends only when the kernel shows what is wanted, or fails with what it does not show.
options:
  rails:
    description: The rails, as the role rail_interfaces takes them.
    type: list
    elements: dict
    required: true
  plane_supernet:
    description: All hosts' addresses of the plane.
    type: str
    required: true
  arp_strict:
    description: Whether each rail must answer for its own address alone.
    type: bool
    required: true
  link_local:
    description: Whether rails may have IPv6 link-local addresses; if not, any of them is a difference.
    type: bool
    default: true
  rule_priority:
    description:
      - Priority of rail 0's rule; that of rail r is greater by r. A rule is a rail's by its address and table, at
        whatever priority; at another one it is moved, the new one before the old one goes.
    type: int
    required: true
  restart_networkd:
    description:
      - Whether systemd-networkd is restarted if it does not yet leave others' rules alone. Without it the manager is
        told nothing where it would take some away; rules and kernel settings are then put right without it, as are
        rules that move and nothing else. It has its files from its next start on.
    type: bool
    default: false
  manager:
    description: Which manager's files were written.
    type: str
    choices: [netplan, networkd, networkmanager]
    required: true
  backend:
    description: The service that configures the interfaces, beneath netplan too.
    type: str
    choices: [networkd, networkmanager]
    required: true
  changed_files:
    description: Paths of files that were written or removed in this run; if there are any, the manager reads its files.
    type: list
    elements: str
    default: []
  wait_s:
    description: How long the manager may take, in seconds.
    type: int
    default: 30
  adopted:
    description: What network_adopted returned as adopted; what is of others on the ports is taken down first.
    type: dict
    default: {}
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: Bring the rails up as configured
  gpufabric.host.rails_in_sync:
    rails: "{{ rail_interfaces_rails }}"
    plane_supernet: "{{ rail_interfaces_plane_supernet }}"
    arp_strict: "{{ rail_interfaces_arp_strict }}"
    rule_priority: "{{ rail_interfaces_rule_priority }}"
    manager: networkd
    backend: networkd
"""

RETURN = r"""
ansible_facts:
  description: C(gpufabric_rails) as rail_facts returns it, read after the last change.
  type: dict
  returned: always
drift:
  description: What was not as wanted before, one fact a line; C(+) was wanted and missing, C(-) was there.
  type: list
  elements: str
  returned: always
by_manager:
  description: Whether the network manager configures rails again, which takes their links down; else C(ip) does it all.
  type: bool
  returned: always
commands:
  description: What was run to change it.
  type: list
  elements: str
  returned: always
"""

SPEC = {
    "rails": {"type": "list", "elements": "dict", "required": True},
    "plane_supernet": {"type": "str", "required": True},
    "arp_strict": {"type": "bool", "required": True},
    "link_local": {"type": "bool", "default": True},
    "rule_priority": {"type": "int", "required": True},
    "restart_networkd": {"type": "bool", "default": False},
    "manager": {"type": "str", "required": True, "choices": ["netplan", "networkd", "networkmanager"]},
    "backend": {"type": "str", "required": True, "choices": ["networkd", "networkmanager"]},
    "changed_files": {"type": "list", "elements": "str", "default": []},
    "wait_s": {"type": "int", "default": 30},
    "adopted": {"type": "dict", "default": {}},
}
POLL_S = 0.5


class Host:
    """The host's rails: what is, what should be, and the commands between the two."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.params: dict[str, Any] = module.params
        self.rails: list[dict[str, Any]] = module.params["rails"]
        self.run: Run = runner(module)
        self.commands = Commands(self.run)
        self.facts: dict[str, Any] = {}
        self.came = session()
        self.read()

    def read(self) -> None:
        """Read the kernel's state again."""
        self.facts = collect([rail["match"] for rail in self.rails], self.run, Path("/"), self.came)
        lost = [str(rail["rail"]) for rail in self.rails if found_of(rail, self.facts)["netdev"] is None]
        if lost:
            message = f"rail {', '.join(lost)} has no interface, or several"
            raise CannotReadError(message)

    def lines(self, rail: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """(found, wanted) of one rail."""
        strict, plane, first = (self.params[each] for each in ("arp_strict", "plane_supernet", "rule_priority"))
        return found_lines(rail, self.facts, strict, self.params["link_local"]), wanted_lines(
            rail, plane, strict, first
        )

    def all_lines(self) -> tuple[list[str], list[str]]:
        """(found, wanted) of everything, in the same order where the same."""
        found: list[str] = []
        wanted: list[str] = []
        for rail in self.rails:
            is_now, shall_be = self.lines(rail)
            found += sorted(is_now)
            wanted += sorted(shall_be)
        return found + [rule_line(each) for each in self.stale()], wanted

    def stale(self) -> list[dict[str, Any]]:
        plane, first = self.params["plane_supernet"], self.params["rule_priority"]
        return stale_rules(self.rails, self.facts, plane, first)

    def moved(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Rails' rules at another priority, each with the wanted one."""
        first = self.params["rule_priority"]
        return [
            (each, rule_of(rail, first))
            for rail in self.rails
            for each in self.facts["rules"]
            if is_rule_of(each, rail) and each["priority"] != rule_of(rail, first)["priority"]
        ]

    def only_moves(self) -> bool:
        """Do rules alone stand elsewhere? networkd would take them away for a moment, and make them again."""
        plane, strict, link_local = (self.params[each] for each in ("plane_supernet", "arp_strict", "link_local"))
        others = self.stale() or needs_manager(self.rails, self.facts, plane, strict, link_local)
        return bool(self.params["backend"] == "networkd" and self.moved() and not others)

    def restarts(self) -> bool:
        """Should networkd restart, so that it leaves alone what others made?"""
        of_networkd = self.params["backend"] == "networkd" and self.params["restart_networkd"]
        return bool(of_networkd and self.facts["networkd_leaves_others"] != NOW)

    def rename(self) -> None:
        """Give each rail's interface its name, and only that one, as its .link file does at boot."""
        found = {rail["name"]: found_of(rail, self.facts) for rail in self.rails}
        now = {name: one["netdev"] for name, one in found.items()}
        self.commands.rename(now, {name: one["altnames"] for name, one in found.items()})

    def settle(self) -> None:
        """Set what the kernel keeps per interface beside the manager's files (at boot: sysctl.d)."""
        found, wanted = self.all_lines()
        for line in wanted:
            if line.startswith("net.") and line not in found:
                knob, value = line.split(" = ")
                self.commands.done.append(f"sysctl -w {knob}={value}")
                base, _, setting = knob[len("net.ipv4.conf.") :].rpartition(".")
                (Path("/proc/sys/net/ipv4/conf") / base / setting).write_text(value, encoding="utf-8")

    def configure(self, names: Sequence[str], read_files: bool) -> None:
        """Have the manager configure the named rails, after reading its files again if they changed."""
        if self.restarts():
            if self.params["manager"] == "netplan":
                self.commands.do("netplan", "generate")
            self.commands.do("systemctl", "restart", "systemd-networkd.service")
        elif read_files:
            self.commands.read_files(self.params["manager"], self.params["backend"])
        profile = "netplan-00-gpufabric" if self.params["manager"] == "netplan" else "gpufabric"
        profiles = {name: f"{profile}-{name}" for name in names}
        self.commands.reconfigure(self.params["backend"], profiles, self.params["wait_s"])

    def bridge(self, every: bool) -> None:
        """Have the wanted rule beside one at another priority, so that no packet meets neither while the manager works.

        ``every``: also where there is none, because the manager is not told.
        """
        lacking = [rule for _, rule in self.moved()]
        if every:
            lacking = [rule_of(rail, self.params["rule_priority"]) for rail in self.rails]
        there = [rule_line(each) for each in self.facts["rules"] if not each["selectors"]]
        for rule in lacking:
            if rule_line(rule) not in there:
                self.commands.do("ip", "-4", "rule", "add", *_words(rule), "protocol", "static")

    def sweep(self) -> None:
        """Take away what the manager left of former settings; some managers do so themselves, at the same time."""
        for each in [*self.stale(), *(former for former, _ in self.moved())]:
            self.commands.do("ip", "-4", "rule", "del", *_words(each), may_fail=True)
        for table, route in self.left_routes():
            self.commands.do("ip", "-4", "route", "del", *route, "table", table, may_fail=True)

    def left_routes(self) -> list[tuple[str, list[str]]]:
        """Unwanted routes of a rail by its own interface; networkd leaves those that it made before it last started."""
        left = []
        for rail in self.rails:
            found, wanted = self.lines(rail)
            for line in set(found) - set(wanted):
                table, _, route = line.partition(": ")
                if table.startswith("table ") and line.endswith(f" dev {rail['name']}"):
                    left.append((table[len("table ") :], route.split()))
        return left

    def touched(self) -> list[str]:
        """Names of the rails that the manager should configure again: what differs, or whose file was written."""
        files = [Path(path) for path in self.params["changed_files"]]
        named = {file.stem.rpartition("gpufabric-")[2] for file in files if file.suffix != ".link"}
        every = any(file.parent.name == "netplan" for file in files)
        differing = {rail["name"] for rail in self.rails if set(self.lines(rail)[0]) != set(self.lines(rail)[1])}
        return [rail["name"] for rail in self.rails if every or rail["name"] in named | differing]

    def wait(self, seconds: float) -> list[str]:
        """Wait until the kernel shows what is wanted; what it does not show after that time."""
        end = time.monotonic() + seconds
        while True:
            self.read()
            found, wanted = self.all_lines()
            if set(found) == set(wanted):
                return []
            if time.monotonic() > end:
                return differ(found, wanted)
            time.sleep(POLL_S)

    def by_manager(self) -> bool:
        """Does the manager do it? Else rules and kernel settings are put right beside it, and no link goes down."""
        return self.restarts() or not (at_risk(self.rails, self.facts) or self.only_moves())

    def apply(self) -> None:
        """From what is to what should be."""
        wait_s, by_manager = self.params["wait_s"], self.by_manager()
        if by_manager:
            self.bring(wait_s)
        else:
            take_down(self.commands, self.params["adopted"])
            self.read()
            self.bridge(every=True)
            self.sweep()
            self.settle()
        missing = self.wait(wait_s)
        if missing:
            lost = "; it was not told, so that it takes no rule away"
            message = f"{self.params['manager']} did not bring the rails to what its files say in {wait_s} s"
            what = f"{message}: {'; '.join(missing)}{'' if by_manager else lost}"
            self.module.fail_json(msg=what, commands=self.commands.done)

    def bring(self, wait_s: int) -> None:
        """Have the manager do it, which may take a second time."""
        touched = self.touched()
        take_down(self.commands, self.params["adopted"])
        self.rename()
        self.read()
        self.bridge(every=False)
        self.configure(touched, read_files=bool(self.params["changed_files"]))
        self.sweep()
        self.settle()
        if self.wait(wait_s / 3):
            # An earlier run may have ended after it wrote the files; reading them is kept for when it is needed,
            # because a manager then looks at all interfaces again, not the rails alone.
            self.configure(self.touched(), read_files=True)
            self.sweep()


def _words(rule: Mapping[str, Any]) -> tuple[str, ...]:
    """A rule as `ip rule` takes it."""
    return ("priority", str(rule["priority"]), "from", rule["from"], "lookup", str(rule["table"]))


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    try:
        host = Host(module)
        found, wanted = host.all_lines()
        drift = differ(found, wanted)
        changed = bool(drift or module.params["changed_files"] or host.restarts())
        by_manager = changed and host.by_manager()
        if changed and not module.check_mode:
            host.apply()
    except CannotReadError as error:
        module.fail_json(msg=f"cannot read the rails: {error}")
    except CommandFailedError as error:
        module.fail_json(msg=str(error), commands=host.commands.done)
    diff = {"before": "".join(f"{line}\n" for line in found), "after": "".join(f"{line}\n" for line in wanted)}
    header = {"before_header": "rails of the running host", "after_header": "rails as configured"}
    module.exit_json(
        changed=changed,
        drift=drift,
        by_manager=by_manager,
        commands=host.commands.done,
        diff={**diff, **header},
        ansible_facts={"gpufabric_rails": host.facts},
    )


if __name__ == "__main__":
    main()

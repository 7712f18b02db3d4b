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
from ansible_collections.gpufabric.host.plugins.module_utils.rail_drift import (
    common_lines,
    found_lines,
    found_of,
    stale_rules,
    wanted_lines,
)
from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import (
    CannotReadError,
    Run,
    collect,
    runner,
    ssh_address,
)

DOCUMENTATION = r"""
module: rails_in_sync
short_description: Bring the rails of the running host to what its configuration says
description:
  - The files of the network manager say what holds at boot; this module makes it hold now, without a reboot. It
    compares the kernel's names, link states, MTUs, IPv4 addresses, routes, rules and settings of the rails with what is
    wanted, and where they differ renames interfaces, sets the settings and has the manager configure those rails anew.
  - Interfaces other than the rails are not touched. The manager is told to read its files, never restarted.
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
    description: RV(adopted) of network_adopted; what is of others on the ports is taken down first.
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
    "manager": {"type": "str", "required": True, "choices": ["netplan", "networkd", "networkmanager"]},
    "backend": {"type": "str", "required": True, "choices": ["networkd", "networkmanager"]},
    "changed_files": {"type": "list", "elements": "str", "default": []},
    "wait_s": {"type": "int", "default": 30},
    "adopted": {"type": "dict", "default": {}},
}
POLL_S = 0.5


class Host:
    """The host's rails: what is, what shall be, and the commands between the two."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.params: dict[str, Any] = module.params
        self.rails: list[dict[str, Any]] = module.params["rails"]
        self.run: Run = runner(module)
        self.commands = Commands(self.run)
        self.facts: dict[str, Any] = {}
        self.read()

    def read(self) -> None:
        """Read the kernel's state anew."""
        self.facts = collect([rail["match"] for rail in self.rails], self.run, Path("/"), ssh_address())
        lost = [str(rail["rail"]) for rail in self.rails if found_of(rail, self.facts)["netdev"] is None]
        if lost:
            message = f"rail {', '.join(lost)} has no interface, or several"
            raise CannotReadError(message)

    def lines(self, rail: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """(found, wanted) of one rail."""
        strict = self.params["arp_strict"]
        return found_lines(rail, self.facts, strict), wanted_lines(rail, self.params["plane_supernet"], strict)

    def all_lines(self) -> tuple[list[str], list[str]]:
        """(found, wanted) of everything, in the same order where the same."""
        found, wanted = [[line] for line in common_lines(self.facts)]
        for rail in self.rails:
            is_now, shall_be = self.lines(rail)
            found += sorted(is_now)
            wanted += sorted(shall_be)
        found += [f"rule {each['priority']}: from {each['from']} lookup {each['table']}" for each in self.stale()]
        return found, wanted

    def stale(self) -> list[dict[str, Any]]:
        return stale_rules(self.rails, self.facts)

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
        """Have the manager configure the named rails, after reading its files anew if they changed."""
        if read_files:
            self.commands.read_files(self.params["manager"], self.params["backend"])
        profile = "netplan-00-gpufabric" if self.params["manager"] == "netplan" else "gpufabric"
        profiles = {name: f"{profile}-{name}" for name in names}
        self.commands.reconfigure(self.params["backend"], profiles, self.params["wait_s"])

    def sweep(self) -> None:
        """Take away the rules of rails that are no more; some managers do so themselves, at the same time."""
        for each in self.stale():
            gone = ("priority", str(each["priority"]), "from", each["from"])
            self.commands.do("ip", "-4", "rule", "del", *gone, may_fail=True)

    def touched(self) -> list[str]:
        """Names of the rails that the manager shall configure anew: what differs, or whose file was written."""
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

    def apply(self) -> None:
        """From what is to what shall be."""
        touched, wait_s = self.touched(), self.params["wait_s"]
        take_down(self.commands, self.params["adopted"])
        self.rename()
        self.read()
        self.configure(touched, read_files=bool(self.params["changed_files"]))
        self.sweep()
        self.settle()
        if self.wait(wait_s / 3):
            # An earlier run may have ended after it wrote the files; reading them is kept for when it is needed,
            # because a manager then looks at all interfaces again, not the rails alone.
            self.configure(self.touched(), read_files=True)
        missing = self.wait(wait_s)
        if missing:
            message = f"{self.params['manager']} did not bring the rails to what its files say in {wait_s} s"
            self.module.fail_json(msg=f"{message}: {'; '.join(missing)}", commands=self.commands.done)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    try:
        host = Host(module)
        found, wanted = host.all_lines()
        drift = differ(found, wanted)
        changed = bool(drift or module.params["changed_files"])
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
        commands=host.commands.done,
        diff={**diff, **header},
        ansible_facts={"gpufabric_rails": host.facts},
    )


if __name__ == "__main__":
    main()

"""Ansible module: write a host's bonds and bring the running host to them, or leave it as it was. See DOCUMENTATION."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.adopt_live import take_down
from ansible_collections.gpufabric.host.plugins.module_utils.bond_drift import (
    found_lines,
    key_of,
    links_in,
    links_of,
    option_commands,
    touched,
    wanted_lines,
)
from ansible_collections.gpufabric.host.plugins.module_utils.bond_state import collect
from ansible_collections.gpufabric.host.plugins.module_utils.file_sets import FOLDER, Step, apply, mistakes, steps
from ansible_collections.gpufabric.host.plugins.module_utils.file_sets import validate as check_files
from ansible_collections.gpufabric.host.plugins.module_utils.manager_commands import (
    CommandFailedError,
    Commands,
    differ,
)
from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import (
    CannotReadError,
    Run,
    runner,
)
from ansible_collections.gpufabric.host.plugins.module_utils.way_in import session

DOCUMENTATION = r"""
module: bonds_in_sync
short_description: Write a host's bonds and bring the running host to them, or leave it as it was
description:
  - Makes the files of the network manager exactly as wanted, gives members their names, has the manager read its files,
    sets options of bonds that are there already, and deletes bonds and VLANs that its own files no longer make.
  - Ends only when the kernel shows what is wanted and answers to the controller take the same way as before. Else it
    undoes all of that (files, names, interfaces it made) and fails with what the kernel did not show.
  - A hang-up (SIGHUP) does not end it. That a host whose SSH session breaks gets its way back was not tested.
options:
  bonds:
    description: The bonds, as the role bond_interfaces takes them.
    type: list
    elements: dict
    required: true
  folders:
    description: The sets of files, as files_in_sync takes them.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Absolute path of the folder.
        type: path
        required: true
      prefix:
        description: What the names of our files begin with, and no others do.
        type: str
        required: true
      files:
        description: Name to content. An empty one removes all files of the prefix.
        type: dict
        required: true
      mode:
        description: Mode of each file.
        type: str
        default: "0644"
  validate:
    description: As of files_in_sync.
    type: str
  manager:
    description: Which manager's files are written.
    type: str
    choices: [netplan, networkd, networkmanager]
    required: true
  backend:
    description: The service that configures the interfaces, beneath netplan too.
    type: str
    choices: [networkd, networkmanager]
    required: true
  profiles:
    description: Interface to its profile under NetworkManager.
    type: dict
    required: true
  at_run_time:
    description: Whether the running host is brought to it; with false only the files are written, for the next boot.
    type: bool
    default: true
  wait_s:
    description: How long the manager may take, in seconds.
    type: int
    default: 30
  adopted:
    description:
      - What network_adopted returned as adopted, whose timer runs. What is of others on the ports is taken down
        first, and answers to the controller may take another way than before.
    type: dict
    default: {}
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: Bring the bonds up as configured
  gpufabric.host.bonds_in_sync:
    bonds: "{{ bond_interfaces_bonds }}"
    folders: "{{ folders }}"
    manager: networkd
    backend: networkd
    profiles: {}
"""

RETURN = r"""
ansible_facts:
  description: C(gpufabric_bonds) as bond_facts returns it without packets sent, read after the last change.
  type: dict
  returned: always
files:
  description: Paths of the files that were written or removed.
  type: list
  elements: str
  returned: always
drift:
  description: What the kernel did not have before, one fact a line; C(+) was wanted and missing, C(-) was there.
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
    "bonds": {"type": "list", "elements": "dict", "required": True},
    "folders": {"type": "list", "elements": "dict", "required": True, "options": FOLDER},
    "validate": {"type": "str"},
    "manager": {"type": "str", "required": True, "choices": ["netplan", "networkd", "networkmanager"]},
    "backend": {"type": "str", "required": True, "choices": ["networkd", "networkmanager"]},
    "profiles": {"type": "dict", "required": True},
    "at_run_time": {"type": "bool", "default": True},
    "wait_s": {"type": "int", "default": 30},
    "adopted": {"type": "dict", "default": {}},
}
POLL_S = 0.5


class NotThereError(Exception):
    """The running host did not get to what is wanted."""


class Host:
    """The host's bonds: what is, what should be, and the way between the two, there and back."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.params: dict[str, Any] = module.params
        self.bonds: list[dict[str, Any]] = module.params["bonds"]
        self.run: Run = runner(module)
        self.commands = Commands(self.run)
        self.steps: list[Step] = [step for folder in module.params["folders"] for step in steps(folder)]
        self.facts: dict[str, Any] = {}
        self.came = session()
        self.read()
        self.before = self.facts

    def read(self) -> None:
        """Read the kernel's state again."""
        self.facts = collect(self.bonds, self.run, Path("/"), ask=False, came=self.came)

    def lines(self) -> tuple[list[str], list[str]]:
        """(found, wanted) of everything, in the same order where the same."""
        found = [line for bond in self.bonds for line in sorted(found_lines(bond, self.facts))]
        wanted = [line for bond in self.bonds for line in sorted(wanted_lines(bond))]
        return found + [f"{name} is there" for name in self.stale()], wanted

    def drift(self) -> list[str]:
        return differ(*self.lines())

    def stale(self) -> list[str]:
        """Bonds and VLANs that our files have made and should make no longer, VLANs first."""
        made = dict.fromkeys(name for step in self.steps if step.now for name in links_in(step.now))
        gone = [name for name in made if name not in links_of(self.bonds)]
        return [name for name in reversed(gone) if self.facts["interfaces"].get(name) in ("bond", "vlan")]

    def names_now(self) -> dict[str, str]:
        """Wanted name of each member -> its present one."""
        found = {
            member["name"]: self.facts["members"][key_of(member)]["netdev"]
            for bond in self.bonds
            for member in bond["members"]
        }
        lost = [name for name, netdev in found.items() if netdev is None]
        if lost:
            message = f"{', '.join(lost)}: no interface there, or several"
            raise CannotReadError(message)
        return found

    def write(self) -> list[str]:
        """Make the files as wanted; the paths of those that were not."""
        changed = [step for step in self.steps if apply(self.module, step)]
        return [str(step.path) for step in changed]

    def make(self, files: Sequence[str]) -> None:
        """From what is to what should be. Raises NotThereError or CommandFailedError half-way."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the session may end with the way it came by
        take_down(self.commands, self.params["adopted"])
        self.read()
        for name in self.stale():
            self.commands.do("ip", "link", "delete", "dev", name)
        self.commands.rename(self.names_now(), {})
        self.read()
        for command in (each for bond in self.bonds for each in option_commands(bond, self.facts)):
            self.commands.do(*command)
        self.configure(touched(self.drift()), read_files=bool(files))
        if self.wait(self.params["wait_s"] / 3):
            # Reading files again is kept for when it is needed: a manager then looks at all interfaces.
            self.configure(touched(self.drift()), read_files=True)
        missing = self.wait(self.params["wait_s"])
        if missing:
            message = f"{self.params['manager']} did not bring the bonds to what its files say"
            raise NotThereError(f"{message} in {self.params['wait_s']} s: {'; '.join(missing)}")

    def configure(self, names: set[str], *, read_files: bool) -> None:
        """Have the manager configure these of our interfaces, in their order."""
        if read_files:
            self.commands.read_files(self.params["manager"], self.params["backend"])
            self.read()
        there = self.facts["interfaces"]
        only_networkds = self.params["backend"] == "networkd"
        every = {name: profile for name, profile in self.params["profiles"].items() if name in names}
        chosen = {name: profile for name, profile in every.items() if name in there or not only_networkds}
        self.commands.reconfigure(self.params["backend"], chosen, self.params["wait_s"])

    def wait(self, seconds: float) -> list[str]:
        """Wait until the kernel shows what is wanted; what it does not show after that time."""
        end = time.monotonic() + seconds
        while True:
            self.read()
            missing = [*self.drift(), *self.lost_way()]
            if not missing or time.monotonic() > end:
                return missing
            time.sleep(POLL_S)

    def lost_way(self) -> list[str]:
        """Answers to the controller that take another way than before."""
        before, now = self.before["way_back"], self.facts["way_back"]
        may_move = before is None or now is None or bool(self.params["adopted"])
        if may_move or (before["dev"], before["via"]) == (now["dev"], now["via"]):
            return []
        return [f"answers to the controller ({before['client']}) went by {before['dev']}, and go by {now['dev']} now"]

    def undo(self) -> list[str]:
        """Files, names and interfaces as they were; what could not be brought back."""
        failed = []
        for step in self.steps:
            apply(self.module, step._replace(now=step.wanted, wanted=step.now))
        made = [name for name in reversed(links_of(self.bonds)) if name not in self.before["interfaces"]]
        again = [name for name in links_of(self.bonds) if name in self.before["interfaces"]]
        try:
            self.read()
            for name in (each for each in made if each in self.facts["interfaces"]):
                self.commands.do("ip", "link", "delete", "dev", name, may_fail=True)
            was = {member: self.before["members"][member]["netdev"] for member in self.before["members"]}
            now = {member: self.facts["members"][member]["netdev"] for member in was}
            self.commands.rename({was[each]: now[each] for each in was if was[each] and now[each]}, {})
            for name in (was[each] for each in was if was[each] and self.before["members"][each]["up"]):
                self.commands.do("ip", "link", "set", "dev", name, "up", may_fail=True)
            self.commands.read_files(self.params["manager"], self.params["backend"])
            if self.params["backend"] == "networkd":
                back = dict.fromkeys([*(name for name in was.values() if name), *again], "")
                self.commands.reconfigure("networkd", back, self.params["wait_s"])
            else:
                for name in again:
                    self.commands.do("nmcli", "connection", "up", "ifname", name, may_fail=True)
            self.read()
        except (CannotReadError, CommandFailedError) as error:
            failed.append(str(error))
        left = sorted(set(made) & set(self.facts["interfaces"]))
        return failed + [f"{name} is still there" for name in left]


def bring(module: AnsibleModule, host: Host) -> list[str]:
    """Write the files and make them true; the files that were changed. Fails with everything undone."""
    files = host.write()
    if not module.params["at_run_time"] or not (files or host.drift()):
        return files
    try:
        host.make(files)
    except (NotThereError, CommandFailedError, CannotReadError) as error:
        done, failed = list(host.commands.done), host.undo()
        undone = f"could not be undone wholly: {'; '.join(failed)}" if failed else "undone, the host is as it was"
        module.fail_json(msg=f"{error}; {undone}", commands=done, undone=not failed)
    return files


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    folders = module.params["folders"]
    wrong = mistakes(folders)
    if wrong:
        module.fail_json(msg="; ".join(wrong))
    try:
        host = Host(module)
    except CannotReadError as error:
        module.fail_json(msg=f"cannot read the bonds: {error}")
    files = [str(step.path) for step in host.steps if step.now != step.wanted]
    if module.params["validate"] and files:
        check_files(module, folders, module.params["validate"])
    found, wanted = host.lines()
    drift = differ(found, wanted)
    if not module.check_mode:
        files = bring(module, host)
    texts = [{"before": step.now or "", "after": step.wanted or ""} for step in host.steps]
    heads = [{"before_header": str(step.path), "after_header": str(step.path)} for step in host.steps]
    shown = [{**head, **text} for head, text in zip(heads, texts) if text["before"] != text["after"]]  # noqa: B905
    live = {"before": "".join(f"{line}\n" for line in found), "after": "".join(f"{line}\n" for line in wanted)}
    header = {"before_header": "bonds of the running host", "after_header": "bonds as configured"}
    module.exit_json(
        changed=bool(files or (drift and module.params["at_run_time"])),
        files=files,
        drift=drift,
        commands=host.commands.done,
        diff=[*shown, {**live, **header}],
        ansible_facts={"gpufabric_bonds": host.facts},
    )


if __name__ == "__main__":
    main()

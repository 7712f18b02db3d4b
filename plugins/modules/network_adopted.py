"""Ansible module: make a host's ports ours that MAAS, cloud-init or an installer configured. See DOCUMENTATION."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.adopt_live import Before, lines_back
from ansible_collections.gpufabric.host.plugins.module_utils.adopt_plan import Ours, Plan, plan
from ansible_collections.gpufabric.host.plugins.module_utils.bond_drift import links_in
from ansible_collections.gpufabric.host.plugins.module_utils.bond_state import routes, way_back
from ansible_collections.gpufabric.host.plugins.module_utils.edit_files import check_netplan, diff_of, edit
from ansible_collections.gpufabric.host.plugins.module_utils.manager_commands import CommandFailedError, Commands
from ansible_collections.gpufabric.host.plugins.module_utils.name_sources import ports_of
from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import (
    CannotReadError,
    collect,
    key_of,
    runner,
    show,
)
from ansible_collections.gpufabric.host.plugins.module_utils.take_back import TakeBack
from ansible_collections.gpufabric.host.plugins.module_utils.way_in import session

DOCUMENTATION = r"""
module: network_adopted
short_description: Make a host's ports ours that MAAS, cloud-init or an installer configured
description:
  - Finds what files of netplan, cloud-init, systemd-networkd, NetworkManager (ifcfg too) and ifupdown configure on
    ports of ours, and what runs on them. What is on our ports alone goes from the files, to the byte; a member of
    something that has others' ports too is taken out of it; all else stays. The files as they were are kept below
    C(/var/lib/gpufabric/replaced).
  - Before the first change a copy is made, and a timer started that brings it back, files and running host, unless
    O(state=kept) comes in time. A restart in between brings it back as well, by one restart more.
  - It takes nothing down that runs; bonds_in_sync and rails_in_sync do, by RV(adopted).
options:
  name:
    description: What the change is of; one at a time of each name.
    type: str
    required: true
  state:
    description:
      - V(planned) changes nothing. V(started) edits the files. V(moved) takes default routes of others away, once the
        gateway of ours answers. V(kept) ends the timer. V(back) brings all back now. V(confirmed) ends the time that
        runs from a boot, if there was one since V(started).
    type: str
    choices: [planned, started, moved, kept, back, confirmed]
    default: planned
  ports:
    description: The ports that are adopted, each with C(name) (its wanted name) and C(match) (C(pci) or C(mac)).
    type: list
    elements: dict
    default: []
  also:
    description: Matches of the host's other ports of ours.
    type: list
    elements: dict
    default: []
  links:
    description: Bonds and VLANs that ours has on them.
    type: list
    elements: str
    default: []
  addresses:
    description: Addresses that ours has, with prefix length.
    type: list
    elements: str
    default: []
  default:
    description: C(interface), C(gateway) and C(gateway_v6) of the default route, if ours has it.
    type: dict
    default: {}
  files:
    description: Patterns of the paths of our files.
    type: list
    elements: str
    default: []
  at_boot:
    description: The change is for the next boot; the time runs from there.
    type: bool
    default: false
  after_s:
    description: The time until all is brought back.
    type: int
    default: 300
  wait_s:
    description: How long the gateway of ours may take to answer, in seconds.
    type: int
    default: 30
  root:
    description: Where the files are.
    type: path
    default: /
  state_folder:
    description: Where the copy is kept.
    type: path
    default: /var/lib/gpufabric/take-back
  units_folder:
    description: Where the unit is put that brings it back at boot.
    type: path
    default: /etc/systemd/system
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns the plan."}
  diff_mode: {support: full, description: "Returns the lines that go."}
"""

EXAMPLES = r"""
- name: What would go, stay and come
  gpufabric.host.network_adopted:
    name: rails
    ports: "{{ rail_interfaces_rails }}"
  register: plan
"""

RETURN = r"""
plan:
  description: What goes and what stays, one thing a line.
  type: list
  elements: str
  returned: when planned or started
blocks:
  description: What must be done by hand first, each with its step.
  type: list
  elements: str
  returned: when planned or started
adopted:
  description: C(links) to delete, ports to C(release), addresses to C(flush), and the C(copy) that brings all back.
  type: dict
  returned: when planned or started
timer:
  description: The timer that brings all back.
  type: str
  returned: when one was started
"""

SPEC = {
    "name": {"type": "str", "required": True},
    "state": {
        "type": "str",
        "choices": ["planned", "started", "moved", "kept", "back", "confirmed"],
        "default": "planned",
    },
    "ports": {"type": "list", "elements": "dict", "default": []},
    "also": {"type": "list", "elements": "dict", "default": []},
    "links": {"type": "list", "elements": "str", "default": []},
    "addresses": {"type": "list", "elements": "str", "default": []},
    "default": {"type": "dict", "default": {}},
    "files": {"type": "list", "elements": "str", "default": []},
    "at_boot": {"type": "bool", "default": False},
    "after_s": {"type": "int", "default": 300},
    "wait_s": {"type": "int", "default": 30},
    "root": {"type": "path", "default": "/"},
    "state_folder": {"type": "path", "default": "/var/lib/gpufabric/take-back"},
    "units_folder": {"type": "path", "default": "/etc/systemd/system"},
}
POLL_S = 0.5
REBOOT = "systemctl reboot"
BOOT = "gpufabric_adopt_network: boot"


class Host:
    """The host as it is, and what the intent wants of its ports."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module, self.params = module, module.params
        self.root = Path(self.params["root"])
        self.run = runner(module)
        matches = [*(each["match"] for each in self.params["ports"]), *self.params["also"]]
        self.came = session()
        self.facts = collect(matches, self.run, self.root, self.came)
        self.entries = [each for each in show(self.run, "ip", "-j", "-d", "address", "show") if each]
        found = {key: each["netdev"] for key, each in self.facts["rails"].items() if each["netdev"]}
        ports = {key_of(each["match"]): each["name"] for each in self.params["ports"]}
        default = self.params["default"]
        self.ours = Ours(
            {found[key]: name for key, name in ports.items() if key in found},
            frozenset(name for key, name in found.items() if key not in ports),
            frozenset(name for path in self.our_files() for name in links_in(path.read_text(encoding="utf-8"))),
            frozenset(self.params["addresses"]),
            tuple(family for family, key in ((4, "gateway"), (6, "gateway_v6")) if default.get(key)),
        )

    def our_files(self) -> list[Path]:
        """Those of our files that are there."""
        return [path for each in self.params["files"] for path in sorted(self.root.glob(each.lstrip("/")))]

    def plan(self) -> Plan:
        """What goes, stays and comes; what would cut the controller off blocks unless it is for the next boot."""
        made = plan(self.root, ports_of(self.facts, self.root), self.ours, self.entries)
        if not made.is_empty and not self.params["at_boot"]:
            made.blocks += self.cut_off(made)
        return made

    def cut_off(self, made: Plan) -> list[str]:
        """Is the present session by something that goes, and has ours its address no longer?"""
        came = self.came
        way = way_back(self.run, came.client if came else None)
        goes = {*made.links, *made.flush, *made.release}
        holders = [
            (each["ifname"], f"{one['local']}/{one['prefixlen']}")
            for each in self.entries
            for one in each.get("addr_info", ())
            if came and came.is_to(each["ifname"], one["local"])
        ]
        stays = any(address in self.ours.addresses for _, address in holders)
        ways = [way["dev"]] if way is not None else []
        by = [name for name in (*(name for name, _ in holders), *ways) if name in goes]
        if not by or stays:
            return []
        ours = " or ".join(sorted(each.partition("/")[0] for each in self.ours.addresses)) or "no address"
        step = f"come in by another port, or set {BOOT} and reach the host by {ours} after it"
        address = came.server if came else "another address"
        return [f"this session is by {address} on {by[0]}, which goes, and ours has {ours} there; {step}"]


def take_back_of(module: AnsibleModule, host: Host | None = None, made: Plan | None = None) -> TakeBack:
    """What brings back the files of a plan and of ours, and the running host."""
    params = module.params
    boot = params["after_s"] if params["at_boot"] else None
    if host is None or made is None:
        return TakeBack(module, [], after_boot_s=boot)
    files = [str(host.root / each.file.lstrip("/")) for each in (*made.edits, *made.default_edits)]
    paths = list(dict.fromkeys([*files, *(str(each) for each in host.our_files())]))
    ifupdowns = [words[1] for each in made.taken if each.by == "ifupdown" and (words := each.key.split())[0] == "iface"]
    before = Before(
        host.entries,
        host.facts["manager"],
        host.facts["backend"],
        list(host.ours.ports),
        list(dict.fromkeys([*reversed(made.links), *made.release.values()])),
        [name for name in reversed(params["links"]) if name not in host.ours.links],
        list(dict.fromkeys(ifupdowns)),
    )
    live = lines_back(host.run, before)
    sweep = [f"rm -f {host.root / each.lstrip('/')}" for each in params["files"]]
    return TakeBack(module, paths, live=live, first=sweep, at_boot=[REBOOT], after_boot_s=boot)


def begin(module: AnsibleModule) -> dict[str, Any]:
    """The plan, and with O(state=started) the copy, the timer and the edits."""
    host = Host(module)
    made = host.plan()
    adopted = {"links": made.links, "release": made.release, "flush": made.flush}
    take_back = take_back_of(module, host, made)
    at_boot = module.params["at_boot"]
    waits = at_boot and take_back.script.exists() and take_back.is_of_this_boot()
    # Of a change for the next boot what runs stays until then.
    changed = bool(made.edits or made.default_edits) if waits else not made.is_empty
    answer = {"changed": changed, "plan": made.lines(), "blocks": made.blocks, "adopted": adopted}
    if module.params["state"] == "planned":
        return {**answer, "changed": False}
    if made.blocks:
        module.fail_json(msg="\n".join(made.blocks), **answer)
    answer["diff"] = [diff_of(each) for each in (*made.edits, *made.default_edits)]
    if module.check_mode or not changed:
        return answer
    check_netplan(module, host.root, made.edits)
    if not waits:  # else an earlier run made the copy, of what was there before all of it
        take_back.start()
    for each in made.edits:
        edit(module, host.root, each)
    if at_boot:
        for each in host.plan().default_edits:
            edit(module, host.root, each)
        return answer
    if (host.facts["manager"], host.facts["backend"]) == ("netplan", "networkmanager"):
        module.run_command(["netplan", "generate"])  # ours are NetworkManager's own profiles, unknown to netplan
    return {**answer, "adopted": {**adopted, "copy": str(take_back.script)}, "timer": take_back.timer}


def move(module: AnsibleModule) -> dict[str, Any]:
    """Take default routes of others away, in files and now, once the gateways of ours answer."""
    host, default = Host(module), module.params["default"]
    made = host.plan()
    old = others_defaults(host)
    if not (made.default_edits or old) or not default or module.check_mode:
        return {"changed": bool(default and (made.default_edits or old))}
    answers(module, host, default)
    check_netplan(module, host.root, made.default_edits)
    for each in made.default_edits:
        edit(module, host.root, each)
    commands = Commands(host.run)
    try:
        commands.read_files(host.facts["manager"], host.facts["backend"])
        if host.facts["backend"] == "networkmanager":
            for name in {each["dev"] for each in old}:
                commands.do("nmcli", "--wait", str(module.params["wait_s"]), "device", "reapply", name, may_fail=True)
        end = time.monotonic() + module.params["wait_s"]
        while others_defaults(host) and time.monotonic() < end:
            for each in others_defaults(host):
                hop = ("via", each["via"]) if each["via"] else ()
                family = f"-{each['family']}"
                commands.do("ip", family, "route", "delete", "default", *hop, "dev", each["dev"], may_fail=True)
            time.sleep(POLL_S)
    except CommandFailedError as error:
        module.fail_json(msg=str(error), commands=commands.done)
    return {"changed": True, "commands": commands.done}


def others_defaults(host: Host) -> list[dict[str, Any]]:
    """Default routes by others' interfaces, of families whose default route ours has."""
    mine, families = host.params["default"].get("interface"), host.ours.families
    return [
        each
        for each in routes(host.run)
        if each["to"] == "default" and each["family"] in families and each["dev"] not in (None, mine)
    ]


def answers(module: AnsibleModule, host: Host, default: Mapping[str, str]) -> None:
    """Fail unless each gateway of ours answers within the time."""
    end = time.monotonic() + module.params["wait_s"]
    for hop in [default[key] for key in ("gateway", "gateway_v6") if default.get(key)]:
        ping: Sequence[str] = ["ping", "-n", "-q", "-c", "1", "-W", "1", "-I", default["interface"], hop]
        while host.run(ping)[0] != 0:
            if time.monotonic() > end:
                where = f"{default['interface']}: its gateway {hop} does not answer"
                step = "the default route of before stays; correct the plane's gateway, VLAN or the switches' ports"
                module.fail_json(msg=f"{where}; {step}")
            time.sleep(POLL_S)


def end(module: AnsibleModule) -> dict[str, Any]:
    """Keep the change, or bring back what was there."""
    take_back = take_back_of(module)
    state, pending = module.params["state"], take_back.script.exists()
    if module.check_mode:
        return {"changed": False}
    if state == "kept":
        take_back.keep()
        return {"changed": False}
    if state == "confirmed":
        waits = pending and not take_back.is_of_this_boot()
        if waits:
            module.run_command(["systemctl", "stop", take_back.timer])
            take_back.forget()
        return {"changed": waits}
    if pending:
        module.run_command(["systemctl", "stop", take_back.timer])
        module.run_command([str(take_back.script)])
    return {"changed": pending}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    does = {"planned": begin, "started": begin, "moved": move}
    try:
        module.exit_json(**does.get(module.params["state"], end)(module))
    except CannotReadError as error:
        module.fail_json(msg=f"cannot read the network: {error}")


if __name__ == "__main__":
    main()

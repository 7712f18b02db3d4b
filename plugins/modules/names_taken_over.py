"""Ansible module: take away what would give rails other names at the next boot. See DOCUMENTATION."""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.name_sources import ports_of
from ansible_collections.gpufabric.host.plugins.module_utils.name_takeover import ORIGINALS, Edit, edits
from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import (
    CannotReadError,
    collect,
    runner,
)

DOCUMENTATION = r"""
module: names_taken_over
short_description: Take away what would give rails other names at the next boot
description:
  - A C(set-name) of netplan's with C(match), a udev rule with C(NAME), a C(.link) file before the role's, cloud-init
    and a profile of NetworkManager with a higher priority all win over the names that the role rail_interfaces gives.
  - Of files below /etc this module cuts the key or the rule out, byte for byte nothing else; a C(.link) file or a
    profile that is about rails alone is moved away; cloud-init is told to leave the host's network as it is.
  - The file as it was is kept below C(/var/lib/gpufabric/replaced).
  - What cannot be taken away is left as it is; the role refuses it before.
options:
  rails:
    description: The rails, as the role rail_interfaces takes them.
    type: list
    elements: dict
    required: true
  root:
    description: Where the files are.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: The rails keep their names
  gpufabric.host.names_taken_over:
    rails: "{{ rail_interfaces_rails }}"
"""

RETURN = r"""
files:
  description: Paths of the files that were changed, moved away or made.
  type: list
  elements: str
  returned: always
"""

SPEC = {
    "rails": {"type": "list", "elements": "dict", "required": True},
    "root": {"type": "path", "default": "/"},
}
NETPLAN_FOLDERS = ("etc/netplan", "run/netplan", "usr/lib/netplan")


def check_netplan(module: AnsibleModule, root: Path, changes: Sequence[Edit]) -> None:
    """Fail unless netplan accepts its files as they would be."""
    scratch = Path(module.tmpdir) / "names_taken_over"
    for folder in NETPLAN_FOLDERS:
        if (root / folder).is_dir():
            shutil.copytree(root / folder, scratch / folder, symlinks=True)
    for each in changes:
        if each.is_netplans:
            (scratch / each.file.lstrip("/")).write_bytes(each.content())
    code, out, err = module.run_command(["netplan", "generate", "--root-dir", str(scratch)])
    shutil.rmtree(scratch)
    if code != 0:
        output = (out + err).replace(str(scratch), "").strip()
        module.fail_json(msg=f"nothing was changed, for `netplan generate` refuses the files: {output}")


def keep(root: Path, path: Path) -> None:
    """A copy of the file as it was; an earlier one stays beside it."""
    copy = root / ORIGINALS / path.relative_to(root)
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    numbers = range(1, 1000)
    free = next(each for each in (copy, *(copy.with_name(f"{copy.name}.{n}") for n in numbers)) if not each.exists())
    shutil.copy2(path, free)


def apply(module: AnsibleModule, root: Path, one: Edit) -> None:
    """Change one file, with the one that was there kept."""
    path = root / one.file.lstrip("/")
    if path.exists():
        keep(root, path)
    if one.after is None:
        path.unlink()
        return
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    scratch = Path(module.tmpdir) / path.name
    scratch.write_bytes(one.content())
    if path.exists():
        shutil.copymode(path, scratch)
    else:
        scratch.chmod(0o644)
    module.atomic_move(str(scratch), str(path))


def tell(module: AnsibleModule, changes: Sequence[Edit]) -> None:
    """Have what reads the files forget what they said; no interface is touched."""
    commands = {
        "is_netplans": ["netplan", "generate"],
        "is_udevs": ["udevadm", "control", "--reload"],
        "is_networkmanagers": ["nmcli", "connection", "reload"],
    }
    for reader, command in commands.items():
        if any(getattr(each, reader) for each in changes) and module.get_bin_path(command[0]):
            code, out, err = module.run_command(command)
            if code != 0 and reader == "is_netplans":
                module.fail_json(msg=f"`{' '.join(command)}` failed ({code}): {(err or out).strip()}")


def diff_of(one: Edit) -> dict[str, str]:
    """Only the lines that change: the rest of such files may be secret."""
    before, after = one.before.splitlines(), (one.after or "").splitlines()
    lines = [each for each in difflib.ndiff(before, after) if each.startswith(("- ", "+ "))]
    shown = lines if one.after is not None else ["- the whole file"]
    return {"prepared": "".join(f"{each}\n" for each in [f"{one.file}:", *shown])}


def names_of(rails: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """PCI or MAC address, in lower case -> the rail's name."""
    return {(rail["match"].get("pci") or rail["match"].get("mac")).lower(): rail["name"] for rail in rails}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    root, rails = Path(module.params["root"]), module.params["rails"]
    try:
        facts = collect([rail["match"] for rail in rails], runner(module), root, None)
    except CannotReadError as error:
        module.fail_json(msg=f"cannot read the rails: {error}")
    wanted = {facts["rails"][key]["netdev"]: name for key, name in names_of(rails).items()}
    changes = edits(root, ports_of(facts, root), wanted)
    if changes and not module.check_mode:
        if any(each.is_netplans for each in changes) and module.get_bin_path("netplan"):
            check_netplan(module, root, changes)
        for each in changes:
            apply(module, root, each)
        if root == Path("/"):
            tell(module, changes)
    files = [each.file for each in changes]
    module.exit_json(changed=bool(changes), files=files, diff=[diff_of(each) for each in changes])


if __name__ == "__main__":
    main()

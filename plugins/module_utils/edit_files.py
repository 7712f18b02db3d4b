"""Edits of others' files on a host: judged, the file as it was kept, exchanged, and told to what reads it.

Standard library only (it runs on hosts, Python 3.9). Used by names_taken_over and network_adopted.
"""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.name_takeover import ORIGINALS, Edit
except ImportError:  # in a test
    from name_takeover import ORIGINALS, Edit

if TYPE_CHECKING:
    from ansible.module_utils.basic import AnsibleModule

NETPLAN_FOLDERS = ("etc/netplan", "run/netplan", "usr/lib/netplan")


def check_netplan(module: AnsibleModule, root: Path, changes: Sequence[Edit]) -> None:
    """Fail unless netplan accepts its files as they would be; nothing to ask where none of them changes."""
    if not any(each.is_netplans for each in changes) or not module.get_bin_path("netplan"):
        return
    scratch = Path(module.tmpdir) / "edit_files"
    for folder in NETPLAN_FOLDERS:
        if (root / folder).is_dir():
            shutil.copytree(root / folder, scratch / folder, symlinks=True)
    for each in changes:
        if each.is_netplans:
            file = scratch / each.file.lstrip("/")
            if each.after is None:
                file.unlink()
            else:
                file.write_bytes(each.content())
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


def edit(module: AnsibleModule, root: Path, one: Edit) -> None:
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

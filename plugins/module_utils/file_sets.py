"""Sets of files of a folder: what they hold, what they should hold, and the way between the two.

Standard library only (it runs on hosts, Python 3.9). A set is a folder's files whose names begin with a prefix; files
of other names are never touched.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ansible.module_utils.basic import AnsibleModule

FOLDER = {
    "path": {"type": "path", "required": True},
    "prefix": {"type": "str", "required": True},
    "files": {"type": "dict", "required": True},
    "mode": {"type": "str", "default": "0644"},
}


class Step(NamedTuple):
    """One file of a set; None stands for a missing file."""

    path: Path
    mode: str
    now: str | None
    wanted: str | None


def mistakes(folders: Sequence[dict[str, Any]]) -> list[str]:
    """The mistakes in the sets themselves, all at once."""
    found = []
    for folder in folders:
        where, prefix = f"folder {folder['path']}", folder["prefix"]
        if not Path(folder["path"]).is_absolute():
            found.append(f"{where}: not an absolute path")
        if not prefix:
            found.append(f"{where}: prefix is empty, so that every file in it would be ours")
        if not folder["mode"] or set(folder["mode"]) - set("01234567"):
            found.append(f"{where}: mode {folder['mode']!r} is not octal; write it as '0644'")
        strange = [name for name in folder["files"] if "/" in name or not name.startswith(prefix)]
        found += [f"{where}: file {name!r} does not begin with prefix {prefix!r}" for name in strange]
    for index, one in enumerate(folders):
        for other in folders[index + 1 :]:
            short, long = sorted((one["prefix"], other["prefix"]), key=len)
            if Path(one["path"]) == Path(other["path"]) and long.startswith(short):
                found.append(f"folder {one['path']}: prefixes {short!r} and {long!r} overlap")
    return found


def read(path: Path) -> str | None:
    """Content of a file, None if it does not exist. Bytes that are not UTF-8 are kept unchanged."""
    try:
        return path.read_bytes().decode("utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return None


def steps(folder: dict[str, Any]) -> list[Step]:
    """Each file of the set: its present and its wanted content."""
    path = Path(folder["path"])
    names = set(folder["files"])
    if path.is_dir():
        ours = (each for each in path.iterdir() if each.name.startswith(folder["prefix"]))
        names.update(each.name for each in ours if not each.is_dir())  # a drop-in folder of a unit is not ours
    return [Step(path / name, folder["mode"], read(path / name), folder["files"].get(name)) for name in sorted(names)]


def validate(module: AnsibleModule, folders: Sequence[dict[str, Any]], command: str) -> None:
    """Fail unless the command accepts the folders in their wanted state."""
    root = Path(module.tmpdir) / "files_in_sync"
    for folder in folders:
        copy = root / folder["path"].lstrip("/")
        if Path(folder["path"]).is_dir() and not copy.is_dir():
            shutil.copytree(folder["path"], copy, symlinks=True)
        copy.mkdir(parents=True, exist_ok=True)
        for step in steps(folder):
            inside = copy / step.path.name
            if inside.is_symlink() or inside.exists():
                inside.unlink()
            if step.wanted is not None:
                inside.write_text(step.wanted, encoding="utf-8")
                inside.chmod(int(step.mode, 8))
    code, out, err = module.run_command([part.replace("%s", str(root)) for part in shlex.split(command)])
    shutil.rmtree(root)
    if code != 0:
        output = (out + err).replace(str(root), "").strip()
        module.fail_json(msg=f"nothing was written, for `{command}` refuses the files: {output}")


def write(module: AnsibleModule, step: Step) -> None:
    """Replace a file by renaming, so that a reader never sees an incomplete file."""
    step.path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    scratch = Path(module.tmpdir) / step.path.name
    scratch.write_bytes((step.wanted or "").encode("utf-8", errors="surrogateescape"))
    scratch.chmod(int(step.mode, 8))
    module.atomic_move(str(scratch), str(step.path))


def apply(module: AnsibleModule, step: Step) -> dict[str, Any] | None:
    """Change one file to the wanted content; returns its diff, or None if there was no difference."""
    if step.wanted is None:
        if not module.check_mode:
            step.path.unlink()
    elif step.now != step.wanted and not module.check_mode:
        write(module, step)
    header = {"before_header": str(step.path), "after_header": str(step.path)}
    entry: dict[str, Any] = {}
    changed = step.now != step.wanted
    if step.wanted is not None and step.path.exists():
        wanted = module.load_file_common_arguments(module.params, path=str(step.path))
        wanted = {**wanted, "mode": step.mode, "owner": "root" if os.geteuid() == 0 else None}
        changed = module.set_fs_attributes_if_different(wanted, changed, diff=entry)
    if step.now != step.wanted:
        entry = {"before": step.now or "", "after": step.wanted or ""}
    return {**header, **entry} if changed else None

"""Ansible module: make whole sets of files equal to the wanted ones, in one task. See DOCUMENTATION."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: files_in_sync
short_description: Make sets of files exactly so, and remove what is left over
description:
  - Each folder of O(folders) is one set. In its O(folders[].path), the files whose names begin with
    O(folders[].prefix) become exactly O(folders[].files), in content, mode and owner. A file of that prefix that is
    not asked for any more is removed. Files of other names are never touched.
  - One task does for any number of files, which matters where a task takes seconds.
  - Nothing is written if O(validate) refuses what the folders would hold.
options:
  folders:
    description: The sets. Two of them may share a path if neither prefix begins with the other.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Absolute path of the folder. It is made (mode 0755) if there is something to put into it.
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
    description:
      - Command to run before anything is written. C(%s) in it is replaced by a scratch folder that holds a copy of each
        folder at its own path, other people's files included, as they would be afterwards.
      - It is run only if something would change.
    type: str
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: One link and one network file per rail
  gpufabric.host.files_in_sync:
    folders:
      - path: /etc/systemd/network
        prefix: 05-gpufabric-
        files:
          05-gpufabric-rail0.link: |
            [Match]
            Path=*pci-0000:00:10.0
            [Link]
            Name=rail0
"""

RETURN = r"""
written:
  description: Paths of the files whose content, mode or owner was changed.
  type: list
  elements: str
  returned: always
removed:
  description: Paths of the files that were removed.
  type: list
  elements: str
  returned: always
"""

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


def mistakes(folders: list[dict[str, Any]]) -> list[str]:
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


def validate(module: AnsibleModule, command: str) -> None:
    """Fail unless the command accepts the folders in their wanted state."""
    root = Path(module.tmpdir) / "files_in_sync"
    for folder in module.params["folders"]:
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


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "folders": {"type": "list", "elements": "dict", "required": True, "options": FOLDER},
            "validate": {"type": "str"},
        },
        supports_check_mode=True,
    )
    folders = module.params["folders"]
    wrong = mistakes(folders)
    if wrong:
        module.fail_json(msg="; ".join(wrong))
    every = [step for folder in folders for step in steps(folder)]
    if module.params["validate"] and any(step.now != step.wanted for step in every):
        validate(module, module.params["validate"])
    diffs = {step: apply(module, step) for step in every}
    changed = [step for step, diff in diffs.items() if diff]
    module.exit_json(
        changed=bool(changed),
        written=[str(step.path) for step in changed if step.wanted is not None],
        removed=[str(step.path) for step in changed if step.wanted is None],
        diff=[diff for diff in diffs.values() if diff],
    )


if __name__ == "__main__":
    main()

"""Ansible module: set values of the kernel's own files. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: kernel_files
short_description: Set values of files below /sys and /proc, and read them back
description:
  - Writes each value of O(values) that differs into its file, reads it back, and returns what the kernel did not take.
  - Lasts until the next boot; the role keeps the values for the boot elsewhere (tmpfiles.d, sysctl.d).
options:
  values:
    description:
      - Absolute path, below /sys or /proc, to value.
      - White space of any kind and number is the same to the comparison.
    type: dict
    required: true
  strict:
    description: Fail if the kernel did not take a value. If not set, V(refused) tells.
    type: bool
    default: true
  root:
    description: Where /sys and /proc are.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: Half of the pages on each node
  gpufabric.host.kernel_files:
    values:
      /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages: "512"
      /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages: "512"
"""

RETURN = r"""
written:
  description: Paths whose value differed and was written.
  type: list
  elements: str
  returned: always
refused:
  description: What the kernel did not take, one sentence each, with path, value wanted and value found.
  type: list
  elements: str
  returned: always
"""


def shown(path: Path) -> str:
    """The file's value in one line; for an unreadable file, the reason."""
    try:
        return " ".join(path.read_text(encoding="utf-8").split())
    except OSError as error:
        return f"({error.strerror})"


def write(path: Path, value: str) -> str | None:
    """The kernel's reason for a refusal, if it gave one."""
    try:
        path.write_text(value + "\n", encoding="utf-8")
    except OSError as error:
        return error.strerror
    return None


def set_all(root: Path, wanted: dict[str, str], check_only: bool) -> dict[str, Any]:
    """Write the differences; before and after are for --diff."""
    before = {name: shown(root / name.lstrip("/")) for name in wanted}
    differing = {name: value for name, value in wanted.items() if before[name] != value}
    if check_only:
        return {"written": sorted(differing), "refused": [], "before": before, "after": wanted}
    errors = {name: write(root / name.lstrip("/"), value) for name, value in differing.items()}
    after = {name: shown(root / name.lstrip("/")) for name in wanted}
    refused = [
        f"{name}: {value} is wanted, {after[name]} found"
        + (f" (write refused: {errors[name]})" if errors[name] else "")
        for name, value in sorted(differing.items())
        if after[name] != value
    ]
    written = sorted(name for name in differing if after[name] != before[name])
    return {"written": written, "refused": refused, "before": before, "after": after}


def main() -> None:
    """Compare, write unless in check mode, read back."""
    module = AnsibleModule(
        argument_spec={
            "values": {"type": "dict", "required": True},
            "strict": {"type": "bool", "default": True},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    wanted = {str(name): " ".join(str(value).split()) for name, value in module.params["values"].items()}
    elsewhere = [name for name in wanted if not name.startswith(("/sys/", "/proc/")) or ".." in name]
    if elsewhere:
        module.fail_json(msg=f"values: only files below /sys and /proc are set here, not {', '.join(elsewhere)}")
    result = set_all(Path(module.params["root"]), wanted, module.check_mode)
    lines = {
        side: "".join(f"{name} = {value}\n" for name, value in sorted(result.pop(side).items()))
        for side in ("before", "after")
    }
    answer = {"changed": bool(result["written"]), "diff": lines, **result}
    if result["refused"] and module.params["strict"]:
        module.fail_json(msg="the kernel did not take:\n" + "\n".join(result["refused"]), **answer)
    module.exit_json(**answer)


if __name__ == "__main__":
    main()

"""Ansible module: take away what would give rails other names at the next boot. See DOCUMENTATION."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.edit_files import check_netplan, diff_of, edit, tell
from ansible_collections.gpufabric.host.plugins.module_utils.name_sources import ports_of
from ansible_collections.gpufabric.host.plugins.module_utils.name_takeover import edits
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
        check_netplan(module, root, changes)
        for each in changes:
            edit(module, root, each)
        if root == Path("/"):
            tell(module, changes)
    files = [each.file for each in changes]
    module.exit_json(changed=bool(changes), files=files, diff=[diff_of(each) for each in changes])


if __name__ == "__main__":
    main()

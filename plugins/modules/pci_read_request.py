"""Ansible module: set the largest read request of NICs. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.pci_read_request import apply
from ansible_collections.gpufabric.host.plugins.module_utils.pci_topology import PCI_DEVICES

DOCUMENTATION = r"""
module: pci_read_request
short_description: Set the largest read request of NICs, and read it back
description:
  - Writes Device Control in the configuration space of each device whose largest read request is another one.
  - Lasts until the device is reset or the host boots.
options:
  devices:
    description: PCI addresses.
    type: list
    elements: str
    required: true
  size_bytes:
    description: Largest read request.
    type: int
    choices: [128, 256, 512, 1024, 2048, 4096]
    required: true
  root:
    description: Where /sys is.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
"""

EXAMPLES = r"""
- name: The NIC asks for 4096 bytes at a time
  gpufabric.host.pci_read_request:
    devices: ["0000:19:00.0"]
    size_bytes: 4096
"""

RETURN = r"""
set:
  description: Devices that had another size, a sentence each.
  type: list
  elements: str
  returned: always
"""


def main() -> None:
    """Compare, write unless in check mode, read back."""
    sizes = [128, 256, 512, 1024, 2048, 4096]
    module = AnsibleModule(
        argument_spec={
            "devices": {"type": "list", "elements": "str", "required": True},
            "size_bytes": {"type": "int", "required": True, "choices": sizes},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    given = module.params
    folder = Path(given["root"]) / PCI_DEVICES
    done, refused = apply([folder / each for each in given["devices"]], given["size_bytes"], module.check_mode)
    if refused:
        module.fail_json(msg="\n".join(refused), changed=bool(done), set=done)
    module.exit_json(changed=bool(done), set=done)


if __name__ == "__main__":
    main()

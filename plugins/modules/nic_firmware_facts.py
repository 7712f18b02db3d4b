"""Ansible module: what the firmware of each rail's NIC stands at. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.nic_firmware import read_nics
from ansible_collections.gpufabric.host.plugins.module_utils.port_kinds import refusal

DOCUMENTATION = r"""
module: nic_firmware_facts
short_description: What the firmware of each rail's NIC stands at, now and at its next start
description:
  - Queries the NICs by C(mlxconfig) or C(mstconfig), and reads the firmware's version from C(/sys/class/infiniband).
  - Sets nothing.
options:
  rails:
    description: The rails' interfaces, as the kernel names them now.
    type: list
    elements: str
    required: true
  root:
    description: Where /sys is read. The tools speak to the NIC all the same.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Read the firmware's settings
  gpufabric.host.nic_firmware_facts:
    rails: [rail0, rail1]

- name: No NIC waits for a reset
  ansible.builtin.assert:
    that: item.value.current == item.value.next_boot
  loop: "{{ ansible_facts.gpufabric_nic_firmware.rail0.settings | dict2items }}"
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_nic_firmware:
      description: Name of the interface to what its NIC's firmware has.
      type: dict
      contains:
        pci: {description: "Address of the function; null where there is no such interface or NIC.", type: str}
        driver: {description: "The NIC's kernel driver.", type: str}
        version: {description: "Version of the firmware that runs; empty where no RDMA device shows it.", type: str}
        settings:
          description: >-
            Name (without the port) to C(current) and C(next_boot); what the card does not have is not in it, and it is
            empty with the C(reason).
          type: dict
        written:
          description: >-
            Name to what role nic_firmware C(found) before it, C(wrote), and C(by) which variable, for settings that it
            takes back once no variable asks for them.
          type: dict
        algorithm:
          description: NVIDIA's own for Spectrum-X, C(runs) for this port, C(is installed) or C(is not installed).
          type: str
        reason: {description: "Why nothing could be read.", type: str}
"""


def main() -> None:
    """What Ansible runs."""
    module = AnsibleModule(
        argument_spec={
            "rails": {"type": "list", "elements": "str", "required": True},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    if refused := refusal(module.params["rails"], Path(module.params["root"])):
        module.fail_json(msg=refused)
    found = read_nics(module.params["rails"], Path(module.params["root"]))
    module.exit_json(changed=False, ansible_facts={"gpufabric_nic_firmware": found})


if __name__ == "__main__":
    main()

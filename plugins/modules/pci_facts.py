"""Ansible module: a host's GPUs, the rails' NICs, and the PCI tree above them. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.gpu_driver import OPERATOR_ROOT, acs_elsewhere, driver
from ansible_collections.gpufabric.host.plugins.module_utils.gpu_fabric import read_states
from ansible_collections.gpufabric.host.plugins.module_utils.pci_topology import tree
from ansible_collections.gpufabric.host.plugins.module_utils.port_kinds import refusal

DOCUMENTATION = r"""
module: pci_facts
short_description: GPUs, the rails' NICs, the PCI tree above them, and the NVIDIA driver
description:
  - Reads sysfs, the devices' configuration space, /proc and dpkg's list of packages. Runs no command.
  - Without root, devices show 64 bytes of their configuration space; then C(known) is C(header).
options:
  rails:
    description: The rails whose NICs to find.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the rail.
        type: str
        required: true
      match:
        description: The NIC port's PCI or MAC address.
        type: dict
        required: true
        suboptions:
          pci: {description: PCI address, type: str}
          mac: {description: MAC address, type: str}
  gpus:
    description: Rail to the addresses of the GPUs that it should serve. Else both are paired in order.
    type: dict
    default: {}
  fabric:
    description: >-
      Ask nvidia-smi whether NVLink joins the GPUs, where the host has NVSwitches. One that hangs is left alone.
    type: bool
    default: false
  root:
    description: Where /sys, /proc, /run and /var are read.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Which GPU is near rail 0's NIC
  gpufabric.host.pci_facts:
    rails:
      - {name: rail0, match: {pci: "0000:19:00.0"}}
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_pci:
      description: What is known of the PCI tree.
      type: dict
      contains:
        gpus:
          description: Address of each of NVIDIA's GPUs to the rails under the lowest switch that is common.
          type: dict
        nvswitches: {description: addresses of NVSwitches that show themselves as bridges, type: list, elements: str}
        rails:
          description:
            - Rail to C(nic) (address; null if there is none such), C(gpus) (those that it should serve), C(ways) (GPU
              to the ports on the way to it, if a switch is common).
          type: dict
        unpaired: {description: why GPUs and rails cannot be paired; empty if they can, type: str}
        acs_elsewhere:
          description: GRUB's settings that name ACS and are not ours, file and line.
          type: list
          elements: str
        devices:
          description:
            - Address of each GPU, NIC of a rail and bridge above them, to C(path) (from the root complex down),
              C(kernel_path), C(id), C(numa_node), C(driver), C(iommu) (type of its group; C(off) without an IOMMU),
              C(known) (all, first 256 bytes, header), C(port), C(link) (speed_gt_s, lanes, max_speed_gt_s, max_lanes),
              C(read_request_bytes), C(acs) (control bits; null without the capability), C(ats) (enabled; null without
              the capability).
          type: dict
        driver:
          description:
            - C(version) and C(open) of the loaded kernel modules, C(peermem), C(packages) of the host, C(operator) (the
              GPU Operator's container is there), C(no_dma_buf) (why RDMA cannot take GPU memory as dma-buf),
              C(wrong_fabric_manager) (what is wrong with it, where there are NVSwitches), C(bridges) (functions of
              ConnectX that manage NVSwitches), C(wrong_subnet_manager) (what is wrong with NVLSM, which they need),
              C(unlike) (packages of another version than the loaded driver), C(not_held), C(kernel), C(lockdown).
          type: dict
        fabric:
          description: C(states) (GPU to state and status of its NVLink fabric), C(unknown) (why there are none).
          type: dict
"""

MATCH = {"type": "dict", "required": True, "options": {"pci": {"type": "str"}, "mac": {"type": "str"}}}


def main() -> None:
    """Read, return."""
    rails = {"type": "list", "elements": "dict", "default": []}
    options = {"name": {"type": "str", "required": True}, "match": MATCH}
    module = AnsibleModule(
        argument_spec={
            "rails": {**rails, "options": options},
            "gpus": {"type": "dict", "default": {}},
            "fabric": {"type": "bool", "default": False},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    root = Path(module.params["root"])
    if refused := refusal((each["name"] for each in module.params["rails"]), root):
        module.fail_json(msg=refused)
    found = tree(root, module.params["rails"], module.params["gpus"])
    about = driver(root)
    joined: tuple[dict[str, str], str] = ({}, "not asked for")
    if module.params["fabric"] and (found["nvswitches"] or about["bridges"]):
        joined = read_states(root, OPERATOR_ROOT)
    fabric = {"states": joined[0], "unknown": joined[1]}
    facts = {**found, "driver": about, "fabric": fabric, "acs_elsewhere": acs_elsewhere(root)}
    module.exit_json(changed=False, ansible_facts={"gpufabric_pci": facts})


if __name__ == "__main__":
    main()

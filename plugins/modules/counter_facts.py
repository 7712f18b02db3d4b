"""Ansible module: what a host's NICs and GPUs count. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.counter_state import collect
from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import run_command

DOCUMENTATION = r"""
module: counter_facts
short_description: What a host's NICs, RDMA devices and GPUs count
description:
  - Reads C(ethtool -S) of the rails, hw_counters of all RDMA devices, the Xids in the kernel's log of this boot, and
    C(nvidia-smi nvlink -e). Changes nothing. What a host does not tell is in not_read, with the reason.
options:
  rails:
    description: Interfaces whose counters to read.
    type: list
    elements: str
    default: []
  root:
    description: Where /sys, /proc and /usr/bin/nvidia-smi are. Only tests have another tree.
    type: path
    default: /
  operator_root:
    description: Where the GPU Operator's driver container has its programs, below root.
    type: str
    default: run/nvidia/driver/usr
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: What have the rails counted
  gpufabric.host.counter_facts:
    rails: [rail0, rail1]
"""

RETURN = r"""
ansible_facts:
  description: One fact. Counts only grow until the driver is loaded again.
  returned: always
  type: dict
  contains:
    gpufabric_counters:
      description: What the host counts.
      type: dict
      contains:
        uptime_s: {description: seconds since the kernel started; null where /proc does not tell, type: float}
        interfaces: {description: "interface -> count by ethtool's name", type: dict}
        devices: {description: "RDMA device and port (mlx5_0/1) -> count by name of hw_counters", type: dict}
        xids: {description: "GPU's PCI address -> Xid -> how often; empty: none", type: dict}
        nvlink: {description: "GPU's number -> link -> errors by kind", type: dict}
        not_read: {description: "what was not read (ethtool -S rail0, hw_counters, xids, nvlink) -> why", type: dict}
"""


def main() -> None:
    """Read, return."""
    module = AnsibleModule(
        argument_spec={
            "rails": {"type": "list", "elements": "str", "default": []},
            "root": {"type": "path", "default": "/"},
            "operator_root": {"type": "str", "default": "run/nvidia/driver/usr"},
        },
        supports_check_mode=True,
    )
    parameters = module.params
    found = collect(parameters["rails"], Path(parameters["root"]), parameters["operator_root"], run_command)
    module.exit_json(changed=False, ansible_facts={"gpufabric_counters": found})


if __name__ == "__main__":
    main()

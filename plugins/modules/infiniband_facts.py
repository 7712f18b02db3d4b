"""Ansible module: a host's InfiniBand ports, as its kernel shows them. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.infiniband_state import infiniband_ports

DOCUMENTATION = r"""
module: infiniband_facts
short_description: State, rate, partitions and errors of RDMA ports
description:
  - Reads what the kernel shows of every port of every RDMA device. Changes nothing.
options:
  root:
    description: Where /sys is. Only tests have another tree.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Read the InfiniBand ports
  gpufabric.host.infiniband_facts:
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_infiniband:
      description: >-
        Device and port (mlx5_0/1) to link_layer, state, physical, rate_gbps, width, speed, lid, sm_lid, partitions and
        errors, by names of counters; null where the kernel shows none.
      type: dict
"""


def main() -> None:
    """Read, return."""
    module = AnsibleModule(argument_spec={"root": {"type": "path", "default": "/"}}, supports_check_mode=True)
    found = infiniband_ports(Path(module.params["root"]))
    module.exit_json(changed=False, ansible_facts={"gpufabric_infiniband": found})


if __name__ == "__main__":
    main()

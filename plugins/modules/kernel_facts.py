"""Ansible module: the kernel settings of a host. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.kernel_state import collect
from ansible_collections.gpufabric.host.plugins.module_utils.port_kinds import refusal

DOCUMENTATION = r"""
module: kernel_facts
short_description: What a host's kernel is set to
description:
  - Reads the kernel's command line (of now and of the next boot), memory and huge pages of each NUMA node, sysctl
    values, processor settings, the rails' interrupts, loaded modules and login limits.
  - Reads files only; changes nothing and runs no command.
options:
  rails:
    description: Interfaces whose interrupts to read.
    type: list
    elements: str
    default: []
  sysctl:
    description: Names of kernel settings to read, with dots.
    type: list
    elements: str
    default: []
  root:
    description: Where /sys, /proc, /etc and /boot are read.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Read the kernel's settings
  gpufabric.host.kernel_facts:
    rails: [rail0, rail1]
    sysctl: [vm.zone_reclaim_mode]
"""

RETURN = r"""
ansible_facts:
  description: One fact. What the host does not tell is null.
  returned: always
  type: dict
  contains:
    gpufabric_kernel:
      description: What is known of the kernel.
      type: dict
      contains:
        distribution: {description: id and version of /etc/os-release, type: dict}
        kernel: {description: release of the running kernel, type: str}
        cmdline: {description: command line of the running kernel, type: str}
        cmdline_next_boot: {description: arguments of the first entry of GRUB's menu, type: str}
        boot_editor: {description: update-grub if there is one to carry arguments into the boot loader, type: str}
        meminfo: {description: "/proc/meminfo in bytes, counts as they are", type: dict}
        nodes:
          description: NUMA nodes.
          type: list
          elements: dict
          contains:
            node: {description: number, type: int}
            memory_bytes: {description: memory of the node, type: int}
            free_bytes: {description: free memory of the node, type: int}
            cpus: {description: its processors as a list of ranges, type: str}
            pools:
              description: size_kib, total, free, and path of the file that sets the number of pages.
              type: list
              elements: dict
        hugetlbfs: {description: path and options of each mount of hugetlbfs, type: list, elements: dict}
        sysctl: {description: name to value, type: dict}
        processors:
          description:
            - online, isolated, governors, available_governors, and idle_states (name, state, latency_us, disabled
              on all processors).
          type: dict
        rails: {description: "interface to exists, numa_node, interrupts (irq, cpus)", type: dict}
        modules: {description: loaded modules, type: list, elements: str}
        limits:
          description: domain, type, item, value and file of each login limit, in order.
          type: list
          elements: dict
        tuned_profile: {description: profile that tuned keeps, type: str}
"""


def main() -> None:
    """Read, return."""
    names = {"type": "list", "elements": "str", "default": []}
    module = AnsibleModule(
        argument_spec={"rails": names, "sysctl": names, "root": {"type": "path", "default": "/"}},
        supports_check_mode=True,
    )
    given = module.params
    if refused := refusal(given["rails"], Path(given["root"])):
        module.fail_json(msg=refused)
    facts = collect(Path(given["root"]), given["rails"], given["sysctl"])
    module.exit_json(changed=False, ansible_facts={"gpufabric_kernel": facts})


if __name__ == "__main__":
    main()

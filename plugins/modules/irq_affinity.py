"""Ansible module: keep the rails' interrupts near their NICs. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.irq_affinity import apply

DOCUMENTATION = r"""
module: irq_affinity
short_description: Keep the rails' interrupts on processors near their NICs
description:
  - Gives each interrupt of each rail one processor of the NIC's own NUMA node, isolated processors left out.
options:
  rails:
    description: The rails' interfaces, in order.
    type: list
    elements: str
    required: true
  root:
    description: Where /sys and /proc are.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
"""

EXAMPLES = r"""
- name: The rails' interrupts are near their NICs
  gpufabric.host.irq_affinity:
    rails: [rail0, rail1]
"""

RETURN = r"""
moved:
  description: Interrupts that were given another processor, a sentence each.
  type: list
  elements: str
  returned: always
kept:
  description: Interrupts that the kernel does not let anyone move, a sentence each.
  type: list
  elements: str
  returned: always
"""


def main() -> None:
    """Move the interrupts that are elsewhere."""
    module = AnsibleModule(
        argument_spec={
            "rails": {"type": "list", "elements": "str", "required": True},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    moved, kept = apply(Path(module.params["root"]), module.params["rails"], module.check_mode)
    module.exit_json(changed=bool(moved), moved=moved, kept=kept)


if __name__ == "__main__":
    main()

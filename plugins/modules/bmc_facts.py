"""Ansible module: the BMC of a host, as the host sees it. See DOCUMENTATION."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.bmc_state import collect

DOCUMENTATION = r"""
module: bmc_facts
short_description: The BMC of a host, as the host sees it
description:
  - Reads the address of the host's BMC, and whether it has a network port of its own or shares one of the host's
    (NC-SI), with C(ipmitool) over the host's own interface to it; also whether there is such an interface at all.
  - Which port it is, Supermicro and Dell answer; of other vendors no command is known here.
  - Changes nothing, installs nothing, and needs no password.
options:
  root:
    description: Where /sys and /dev are read.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Look at the BMC
  gpufabric.host.bmc_facts:

- name: It has a port of its own
  ansible.builtin.assert:
    that: ansible_facts.gpufabric_bmc.port == 'dedicated'
"""

RETURN = r"""
ansible_facts:
  description: One fact. What the host does not tell is null.
  returned: always
  type: dict
  contains:
    gpufabric_bmc:
      description: What is known of the BMC.
      type: dict
      contains:
        vendor: {description: maker of the host by SMBIOS, type: str}
        device: {description: "the kernel's way to the BMC, as /dev/ipmi0", type: str}
        in_smbios: {description: does SMBIOS describe such an interface, type: bool}
        modules: {description: loaded modules of the kernel that serve it, type: list, elements: str}
        host_interfaces:
          description: "name and driver of network interfaces over USB, as a BMC offers its host Redfish by"
          type: list
          elements: dict
        has_tool: {description: is ipmitool there, type: bool}
        address: {description: "IPv4 address, 0.0.0.0 without one", type: str}
        mac: {description: MAC address, type: str}
        vlan: {description: number of the VLAN that it tags its packets with, type: str}
        port: {description: "dedicated or shared; failover to a port of the host is shared", type: str}
        port_shown_by: {description: the command that told the port, type: str}
        lan_reason: {description: why the addresses could not be told, type: str}
        port_reason: {description: why the port could not be told, type: str}
"""


def main() -> None:
    """Read, return."""
    module = AnsibleModule(argument_spec={"root": {"type": "path", "default": "/"}}, supports_check_mode=True)
    tool = module.get_bin_path("ipmitool")

    def run(command: Sequence[str]) -> tuple[int, str, str]:
        code, out, err = module.run_command([tool, *command[1:]])
        return code, out, err

    facts = collect(Path(module.params["root"]), run if tool else None)
    module.exit_json(changed=False, ansible_facts={"gpufabric_bmc": facts})


if __name__ == "__main__":
    main()

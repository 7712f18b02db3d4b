"""Ansible module: the state of a host's bonds in its kernel. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.bond_state import OUR_LINK, collect
from ansible_collections.gpufabric.host.plugins.module_utils.name_sources import name_facts
from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import CannotReadError, runner
from ansible_collections.gpufabric.host.plugins.module_utils.way_in import session, warn_of_none

DOCUMENTATION = r"""
module: bond_facts
short_description: What a host's kernel says about its bonds
description:
  - Reads LACP of each bond and member from /proc/net/bonding, links, VLANs, addresses and routes with C(ip -j) of
    iproute2, and finds the NIC port of each member.
  - Sends three echo requests that may not be fragmented, of the size of the MTU, to the gateway of each plane.
  - Changes nothing. Needs no package beyond iproute2, and iputils for the echo requests.
options:
  bonds:
    description:
      - The bonds, each with C(name), C(members) (C(match)) and C(planes) (C(interface), C(gateway), C(mtu_bytes)).
    type: list
    elements: dict
    required: true
  ask:
    description: Whether packets are sent to the gateways.
    type: bool
    default: true
  root:
    description: Where /sys and /proc are read.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Read the bonds
  gpufabric.host.bond_facts:
    bonds: "{{ bond_interfaces_bonds }}"
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_bonds:
      description: What is known of the bonds.
      type: dict
      contains:
        bonds:
          description:
            - Each bond of the host, wanted or not, by its name. C(mode), C(hash), C(miimon_ms), C(lacp_rate),
              C(min_links), C(up), C(aggregator) (the active one), and C(members), by name. A member has C(up),
              C(failures), C(aggregator), C(state), C(partner) (its system), C(partner_key), C(partner_port),
              C(partner_state).
          type: dict
        manager:
          description: As of rail_facts, like C(backend), C(management), C(ports), C(names) and C(names_unread).
          type: str
        way_back:
          description:
            - The route that answers to the controller take, with C(client) (its address), C(to), C(via), C(dev); null
              outside an SSH session, which is warned of.
          type: dict
        interfaces:
          description: Names of all interfaces to their kinds; null for a NIC's port.
          type: dict
        lacking:
          description: Kernel modules that bonds need and this kernel does not have.
          type: list
          elements: str
        links:
          description:
            - The wanted bonds and VLANs that are there. C(mtu_bytes), C(up), C(carrier), C(kind), C(master), C(vlan),
              C(on) (the interface below a VLAN), C(addresses) (global ones, with prefix length).
          type: dict
        members:
          description: The PCI or MAC address of each match, in lower case, to what rail_facts says of a rail.
          type: dict
        routes:
          description: Routes of the main table, each with C(family), C(to), C(via), C(dev).
          type: list
          elements: dict
        passes:
          description: An interface to whether packets of its MTU reach the gateway; null if they could not be sent.
          type: dict
"""


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "bonds": {"type": "list", "elements": "dict", "required": True},
            "ask": {"type": "bool", "default": True},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    try:
        bonds, root, came = module.params["bonds"], Path(module.params["root"]), session()
        warn_of_none(module, came)
        facts = collect(bonds, runner(module), root, module.params["ask"], came)
        facts.update(name_facts({**facts, "rails": facts["members"]}, root, OUR_LINK))
    except CannotReadError as error:
        module.fail_json(msg=f"cannot read the bonds: {error}")
    module.exit_json(changed=False, ansible_facts={"gpufabric_bonds": facts})


if __name__ == "__main__":
    main()

"""Ansible module: the state of a host's rails in its kernel. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.name_sources import name_facts
from ansible_collections.gpufabric.host.plugins.module_utils.port_kinds import refusal
from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import (
    PCI,
    CannotReadError,
    collect,
    key_of,
    runner,
)
from ansible_collections.gpufabric.host.plugins.module_utils.way_in import session, warn_of_none

DOCUMENTATION = r"""
module: rail_facts
short_description: What a host's kernel says about its rails
description:
  - Finds the interface of each rail and reads its link, addresses, routes, rules and settings, with C(ip -j) of
    iproute2 and from /sys and /proc.
  - Reads what names interfaces at the next boot in the files of netplan, cloud-init, udev and NetworkManager.
  - Changes nothing. Needs no package beyond iproute2, and python3-yaml where netplan or cloud-init is in use.
options:
  matches:
    description: How the rails' NIC ports are found, in order.
    type: list
    elements: dict
    required: true
    suboptions:
      pci:
        description: PCI address of the port, as C(lspci -D) shows it. Either this or O(matches[].mac).
        type: str
      mac:
        description: MAC address of the port; the permanent one, where the driver knows it.
        type: str
  root:
    description: Where /sys and /proc are read.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Read the rails
  gpufabric.host.rail_facts:
    matches: "{{ rail_interfaces_rails | map(attribute='match') }}"
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_rails:
      description: What is known of the rails.
      type: dict
      contains:
        manager:
          description: What configures the host's interfaces, C(netplan), C(networkd), C(networkmanager) or C(none).
          type: str
        backend:
          description: The service that runs, C(networkd), C(networkmanager) or C(none); beneath netplan one of the two.
          type: str
        management:
          description: Interfaces that the host is reached by, of a default route or of the running SSH session.
          type: list
          elements: str
        interfaces:
          description: Names of all interfaces.
          type: list
          elements: str
        rails:
          description:
            - The PCI or MAC address of each match, in lower case, to what was found. C(netdev) is null when no
              interface matches, or several do (C(candidates) lists them). Other keys are C(altnames), C(pci), C(mac),
              C(driver), C(master), C(mtu_bytes), C(max_mtu_bytes) (null if the driver names no limit), C(up),
              C(carrier), C(addresses) (global ones, with prefix length) and C(rdma_device) (null if there is none).
          type: dict
        rules:
          description:
            - IPv4 rules but the kernel's own three, each with C(priority), C(from), C(table), C(selectors) (names of
              others that it has) and C(protocol), which says who made it, a number of linux/rtnetlink.h as text.
          type: list
          elements: dict
        others_rules:
          description: Of IPv4 and IPv6 those rules that neither the kernel made nor a network manager.
          type: list
          elements: dict
        networkd_leaves_others:
          description:
            - Whether systemd-networkd leaves rules and routes of others alone, C(now), C(from its next start on) or
              C(no); empty where it does not run the host's network.
          type: str
        routes:
          description: Table (C(main) or a number as text) to IPv4 unicast routes, each with C(to), C(via), C(dev).
          type: dict
        ports:
          description: The NIC's own ports, with C(netdev), C(mac) and C(pci).
          type: list
          elements: dict
        names:
          description:
            - What names interfaces at the next boot beside the role's own files, or has their C(.link) file not read.
            - C(by) (netplan, cloud-init, udev, NetworkManager), C(file), C(line) (0 for a whole file), C(key), C(name)
              (empty if it gives none), C(netdevs) (the interfaces, by their present names), C(kept) (why the role
              cannot take it away), C(certain) (false where it shows at boot only).
          type: list
          elements: dict
        names_unread:
          description: Files of that kind that could not be read, with the reason.
          type: list
          elements: str
        sysctl:
          description: Each rail's interface to C(rp_filter), C(arp_ignore), C(arp_announce).
          type: dict
"""

MATCH = {"pci": {"type": "str"}, "mac": {"type": "str"}}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "matches": {"type": "list", "elements": "dict", "required": True, "options": MATCH},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    matches = module.params["matches"]
    for match in matches:
        if bool(match["pci"]) == bool(match["mac"]):
            module.fail_json(msg=f"matches: {match} must have either pci or mac")
        if match["pci"] and not PCI.fullmatch(key_of(match)):
            module.fail_json(msg=f"matches: pci {match['pci']!r} is not a PCI address such as 0000:00:10.0 (lspci -D)")

    try:
        root = Path(module.params["root"])
        came = session()
        warn_of_none(module, came)
        facts = collect(matches, runner(module), root, came)
        facts.update(name_facts(facts, root))
        if refused := refusal((each["netdev"] for each in facts["rails"].values() if each["netdev"]), root):
            module.fail_json(msg=refused)
    except CannotReadError as error:
        module.fail_json(msg=f"cannot read the rails: {error}")
    module.exit_json(changed=False, ansible_facts={"gpufabric_rails": facts})


if __name__ == "__main__":
    main()

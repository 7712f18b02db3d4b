"""Ansible module: which gateway answers on each rail's wire. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.gateway_probe import Wire, probe
from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import (
    CannotReadError,
    collect,
    key_of,
    runner,
)

DOCUMENTATION = r"""
module: gateway_facts
short_description: Which gateway answers on each rail's wire
description:
  - Sends ARP requests out of each rail's own interface, whatever the routing tables say, and listens there. A cable in
    another rail's port changes nothing that the host's own settings show; here it does.
  - Where a rail's gateway is silent, it asks there for the gateways of the host's other rails, from no address, so that
    no leaf learns a wrong neighbour.
  - Changes nothing. Needs root (CAP_NET_RAW), and takes up to 5 s where a gateway is silent.
options:
  rails:
    description: The rails, as the role rail_interfaces takes them.
    type: list
    elements: dict
    required: true
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Ask the gateways
  gpufabric.host.gateway_facts:
    rails: "{{ rail_interfaces_rails }}"
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_gateways:
      description:
        - Name of each rail to C(asked) (false where it has no interface, or no carrier) and C(answers), the addresses
          of the rails' gateways that answered on its wire, each with the MAC address.
      type: dict
"""


def wires_of(rails: list[dict[str, Any]], facts: dict[str, Any]) -> list[Wire]:
    """The rails that can be asked: those with an interface and a carrier."""
    found = []
    for rail in rails:
        one = facts["rails"][key_of(rail["match"])]
        if one["netdev"] and one["carrier"]:
            mac = (Path("/sys/class/net") / one["netdev"] / "address").read_text(encoding="utf-8").strip()
            found.append(Wire(rail["name"], one["netdev"], mac, rail["address"], rail["gateway"]))
    return found


def main() -> None:
    """Entry point."""
    spec = {"rails": {"type": "list", "elements": "dict", "required": True}}
    module = AnsibleModule(argument_spec=spec, supports_check_mode=True)
    rails = module.params["rails"]
    try:
        facts = collect([rail["match"] for rail in rails], runner(module), Path("/"), None)
        answers = probe(wires_of(rails, facts))
    except (CannotReadError, OSError) as error:
        module.fail_json(msg=f"cannot ask the gateways: {error}")
    names = [rail["name"] for rail in rails]
    found = {name: {"asked": name in answers, "answers": answers.get(name, {})} for name in names}
    module.exit_json(changed=False, ansible_facts={"gpufabric_gateways": found})


if __name__ == "__main__":
    main()

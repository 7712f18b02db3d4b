"""Ansible module: the state of a host of the boundary. See DOCUMENTATION."""

from __future__ import annotations

import time
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils import boundary_state as state

DOCUMENTATION = r"""
module: boundary_facts
short_description: The state of a host of the boundary
description:
  - Reads ports, addresses and routes, files, tables of nftables, services, settings of the kernel, and what conntrackd
    says of both firewalls.
  - Asks on the wire of each port in O(shared) whether another machine has an address there, from no address, so that
    no machine learns a wrong neighbour.
  - Changes nothing. Needs root, and takes some seconds, as conntrackd is asked twice.
options:
  root: {description: "Where files and /proc are read.", type: path, default: /}
  shared: {description: Port to the addresses that move between two hosts there., type: dict, default: {}}
  files: {description: Files to look at., type: list, elements: path, default: []}
  certificates: {description: "Files whose certificates alone are returned.", type: list, elements: path, default: []}
  logs: {description: "Logs whose last change is asked for.", type: list, elements: path, default: []}
  tables: {description: "Table with its family, as inet guard, to the ruleset that makes it.", type: dict, default: {}}
  units: {description: Services to ask systemd for., type: list, elements: str, default: []}
  settings: {description: "Settings of the kernel, with dots or slashes.", type: list, elements: str, default: []}
  sshd: {description: "Accounts for which sshd is asked what holds.", type: list, elements: str, default: []}
  conntrackd: {description: "conntrackd's configuration file; empty asks none.", type: str, default: ""}
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Does another machine have the shared address?
  gpufabric.host.boundary_facts:
    shared: {wan: [203.0.113.1]}
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_boundary:
      description: What is known of the host.
      type: dict
      contains:
        ports: {description: "port to up, carrier, mac, addresses", type: dict}
        wire: {description: "port that has a carrier to shared address to whether another machine answers", type: dict}
        routes: {description: "as 0.0.0.0/0 via 192.0.2.1 dev wan", type: list, elements: str}
        files: {description: "path to SHA-256, null where it is missing", type: dict}
        sshd: {description: "account to settings, in sshd's lower case, or a reason", type: dict}
        certificates: {description: "file to its certificates as PEM, null where it is missing", type: dict}
        now_s: {description: "the host's clock, seconds since 1970", type: int}
        logs: {description: "log to seconds since it was written to, null where it is missing", type: dict}
        tables: {description: "table to same, and what differs or why it could not be told", type: dict}
        counters: {description: "table to named counter to packets", type: dict}
        strangers: {description: other chains that packets through the host meet, type: list, elements: str}
        units: {description: "service to enabled, active and the like", type: dict}
        settings: {description: setting to value, type: dict}
        connections: {description: "heard, internal and external of conntrackd, or reason", type: dict}
"""


def main() -> None:
    """Read, return."""
    kinds = {"files": "path", "certificates": "path", "logs": "path", "units": "str", "settings": "str", "sshd": "str"}
    lists = {name: {"type": "list", "elements": kind, "default": []} for name, kind in kinds.items()}
    module = AnsibleModule(
        argument_spec={
            "root": {"type": "path", "default": "/"},
            "shared": {"type": "dict", "default": {}},
            "tables": {"type": "dict", "default": {}},
            "conntrackd": {"type": "str", "default": ""},
            **lists,
        },
        supports_check_mode=True,
    )
    given, run, root = module.params, module.run_command, Path(module.params["root"])
    scratch = Path(module.tmpdir) / "ruleset.nft"
    try:
        known = state.ports(run)
        found = {
            "ports": known,
            "routes": state.routes(run),  # at once after the addresses, which they move with
            "wire": state.on_the_wire(known, given["shared"]),
            "files": state.files(root, given["files"]),
            "certificates": state.certificates(root, given["certificates"]),
            "now_s": int(time.time()),
            "sshd": state.sshd(run, given["sshd"]),
            "logs": state.logs(root, given["logs"]),
            "tables": {name: state.table(run, text, scratch, name) for name, text in given["tables"].items()},
            "counters": {name: state.counters(run, name) for name in given["tables"]},
            "strangers": state.strangers(run) if given["tables"] else [],
            "units": state.units(run, given["units"]),
            "settings": state.settings(root, given["settings"]),
            "connections": state.connections(run, given["conntrackd"]) if given["conntrackd"] else {},
        }
    except OSError as error:
        module.fail_json(msg=f"cannot read the host: {error}")
    module.exit_json(changed=False, ansible_facts={"gpufabric_boundary": found})


if __name__ == "__main__":
    main()

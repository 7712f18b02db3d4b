"""Ansible module: the SSH session that Ansible came in by. See DOCUMENTATION."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.way_in import session, warn_of_none

DOCUMENTATION = r"""
module: way_in
short_description: The SSH session that Ansible came in by, behind sudo, too
description:
  - What sshd told the session (SSH_CONNECTION), from this process or from one above it, as sudo and su hide it. Through
    jump hosts it is the last hop's.
  - Warns where there is none. Changes nothing.
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Read where Ansible comes from
  gpufabric.host.way_in:
  register: came
"""

RETURN = r"""
session:
  description: Client's address and port, this host's address and port, as in SSH_CONNECTION; empty where there is none.
  type: str
  returned: always
account:
  description: Whose session it is; empty where there is none.
  type: str
  returned: always
"""


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec={}, supports_check_mode=True)
    found = session()
    warn_of_none(module, found)
    module.exit_json(changed=False, session=found.words() if found else "", account=found.account if found else "")


if __name__ == "__main__":
    main()

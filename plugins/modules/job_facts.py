"""Ansible module: what uses a host's NICs and GPUs, and who is logged in. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.job_state import collect, own_session
from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import run_command

DOCUMENTATION = r"""
module: job_facts
short_description: What uses a host's NICs and GPUs, and who is logged in
description:
  - Reads queue pairs of processes (C(rdma resource show qp)), GPU processes (C(nvidia-smi), or the process that has a
    C(/dev/nvidia) device open), mounts by RDMA, and sessions of systemd-logind but the one that asks. Changes nothing.
  - What cannot be told is an entry that says why.
options:
  root:
    description: Tree that holds C(/sys), C(/proc), C(/dev) and C(/run).
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Look for jobs
  gpufabric.host.job_facts:
"""

RETURN = r"""
ansible_facts:
  description: Facts.
  type: dict
  returned: always
  contains:
    gpufabric_jobs:
      description: Lines for people.
      type: dict
      contains:
        jobs: {description: queue pairs and GPU processes, type: list, elements: str}
        mounts: {description: mounts by RDMA, type: list, elements: str}
        logins: {description: sessions of people, type: list, elements: str}
"""


def main() -> None:
    """Read, return."""
    module = AnsibleModule(argument_spec={"root": {"type": "path", "default": "/"}}, supports_check_mode=True)
    root = Path(module.params["root"])
    facts = collect(run_command, root, own_session(root))
    module.exit_json(changed=False, ansible_facts={"gpufabric_jobs": facts})


if __name__ == "__main__":
    main()

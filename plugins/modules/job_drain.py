"""Ansible module: take nodes out of a scheduler, wait for their jobs, give them back. See DOCUMENTATION."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.job_drain import Bounds, Drain, as_data
from ansible_collections.gpufabric.host.plugins.module_utils.job_schedulers import scheduler

DOCUMENTATION = r"""
module: job_drain
short_description: Take nodes out of a scheduler, wait for their jobs, give them back
description:
  - With O(state=drained), each of O(nodes) is taken out with O(reason), and the module returns when no job runs there.
    Slurm's jobs are left to end; pods are evicted as their PodDisruptionBudgets allow, and never deleted instead.
  - No more than O(limit) of O(among) are out by this site at once. A node that is not free within O(wait_s) is given
    back.
  - With O(state=resumed), only those whose reason begins with O(own) are given back.
  - Does not fail for a node; RV(nodes) has the problem of each. Runs where the scheduler's client is.
options:
  kind:
    description: Which scheduler.
    type: str
    choices: [slurm, kubernetes, command]
    required: true
  command:
    description: Its client with options, or the site's own program. Empty for C(scontrol) and C(kubectl).
    type: list
    elements: str
    default: []
  state:
    description: What to do; V(read) changes nothing.
    type: str
    choices: [read, drained, resumed]
    default: read
  nodes:
    description: As the scheduler calls them.
    type: list
    elements: str
    required: true
  among:
    description: All nodes of the group that O(limit) is about.
    type: list
    elements: str
    default: []
  own:
    description: What the reasons of this site's drains begin with.
    type: str
    required: true
  reason:
    description: Why they are taken out; begins with O(own).
    type: str
    default: ""
  limit:
    description: How many may be out at once.
    type: int
    default: 1
  rebooted:
    description: With O(state=resumed), whether the nodes were rebooted meanwhile, and are to be back first.
    type: bool
    default: false
  wait_s:
    description: How long jobs may take to end, in seconds.
    type: int
    default: 3600
  answer_s:
    description: How long a scheduler may be away, in seconds.
    type: int
    default: 120
  empty_dirs:
    description: Whether pods with emptyDir volumes are evicted too; their contents are lost.
    type: bool
    default: false
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns how the nodes stand."}
"""

EXAMPLES = r"""
- name: Take a node out
  gpufabric.host.job_drain:
    kind: slurm
    state: drained
    nodes: [gpu-1]
    own: "gpufabric site=lab "
    reason: "gpufabric site=lab run=1"
  delegate_to: head-1
"""

RETURN = r"""
nodes:
  description: Node to problem (empty if there is none), is_ours, is_out, reason, changed.
  type: dict
  returned: always
"""


def main() -> None:
    """Read, drain or give back; return."""
    names = {"type": "list", "elements": "str", "default": []}
    module = AnsibleModule(
        argument_spec={
            "kind": {"type": "str", "required": True, "choices": ["slurm", "kubernetes", "command"]},
            "command": names,
            "state": {"type": "str", "default": "read", "choices": ["read", "drained", "resumed"]},
            "nodes": {"type": "list", "elements": "str", "required": True},
            "among": names,
            "own": {"type": "str", "required": True},
            "reason": {"type": "str", "default": ""},
            "limit": {"type": "int", "default": 1},
            "rebooted": {"type": "bool", "default": False},
            "wait_s": {"type": "int", "default": 3600},
            "answer_s": {"type": "int", "default": 120},
            "empty_dirs": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    given = module.params
    if given["state"] == "drained" and not given["reason"].startswith(given["own"]):
        module.fail_json(msg=f"reason: {given['reason']!r} does not begin with own, {given['own']!r}")
    chosen = scheduler(given["kind"], given["command"], empty_dirs=given["empty_dirs"])
    drain = Drain(chosen, given["own"], Bounds(given["limit"], given["wait_s"], given["answer_s"]))
    if module.check_mode or given["state"] == "read":
        found = drain.read(given["nodes"])
    elif given["state"] == "drained":
        found = drain.drain(given["nodes"], given["among"], given["reason"])
    else:
        found = drain.resume(given["nodes"], rebooted=given["rebooted"])
    module.exit_json(changed=any(each.changed for each in found.values()), nodes=as_data(found))


if __name__ == "__main__":
    main()

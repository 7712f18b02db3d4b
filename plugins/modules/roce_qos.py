"""Ansible module: the RoCE policy on this host's rails. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.roce_apply import apply, judge
from ansible_collections.gpufabric.host.plugins.module_utils.roce_host import Host
from ansible_collections.gpufabric.host.plugins.module_utils.roce_policy import PolicyError, read_policy
from ansible_collections.gpufabric.host.plugins.module_utils.roce_report import Change

DOCUMENTATION = r"""
module: roce_qos
short_description: Bring the RoCE rails of a host to the policy, each knob read back
description:
  - Reads DCBX, trust, the 64 code points, PFC, ETS, pause, cable length, RDMA-CM mode and ToS, verbs traffic class, ECN
    and the marking of notifications on each rail, and sets what differs, in the order that works on ConnectX.
  - Every set is read back. One that did not take fails, naming knob, wanted, found and command.
  - What a rail does not have (Soft-RoCE has no ECN, for one) is returned in RV(absent), never taken as set. A ConnectX
    that lacks a knob fails, unless the policy's C(absent_allowed) names it.
  - All rails are read before the first set. If one lacks something, or it cannot be read, nothing is set on any.
  - After a set that did not take nothing more is set, on no rail; RV(changes) and RV(not_tried) say how far it came.
  - Nothing is written to the NICs' firmware. What only the firmware holds is judged, and set by the role nic_firmware.
options:
  policy:
    description: The variables of the role roce_qos, without their prefix.
    type: dict
    required: true
  state:
    description:
      - V(applied) sets what differs; V(judged) reads, and refuses a policy that makes no sense and a host that lacks
        something.
    type: str
    choices: [applied, judged]
    default: applied
  early:
    description:
      - With O(state=judged), other roles have not run yet. A rail without interface or RDMA device, and a tool that
        C(rdma_stack) installs, do not count as missing.
    type: bool
    default: false
  names_now:
    description: With O(state=judged), the interface's name of a rail that does not have its name yet.
    type: dict
    default: {}
  to_be_named:
    description: Names that C(rail_interfaces) gives to interfaces. A missing one of another name is refused.
    type: list
    elements: str
  root:
    description: Tree that holds C(/sys) and C(/proc).
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: Apply the policy
  gpufabric.host.roce_qos:
    policy: "{{ __roce_qos_policy }}"
"""

RETURN = r"""
changes:
  description: What was set, or would be (rail, knob, found, wanted, by).
  type: list
  elements: dict
  returned: state is applied
absent:
  description: Knobs that a rail does not have (rail, knob, wanted, reason).
  type: list
  elements: dict
  returned: state is applied
absent_words:
  description: The same for people, one line for each knob and reason.
  type: list
  elements: str
  returned: state is applied
not_tried:
  description: What differs and was left alone after a set that did not take (rail and knob).
  type: list
  elements: str
  returned: state is applied
"""


def main() -> None:
    """What Ansible runs."""
    module = AnsibleModule(
        argument_spec={
            "policy": {"type": "dict", "required": True},
            "state": {"type": "str", "choices": ["applied", "judged"], "default": "applied"},
            "early": {"type": "bool", "default": False},
            "names_now": {"type": "dict", "default": {}},
            "to_be_named": {"type": "list", "elements": "str"},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    try:
        policy = read_policy(module.params["policy"])
    except PolicyError as error:
        module.fail_json(msg=str(error), problems=list(error.problems))
    host = Host(root=Path(module.params["root"]))
    if module.params["state"] == "judged":
        early = module.check_mode or module.params["early"]
        report = judge(
            policy, host, early=early, names_now=module.params["names_now"], to_be_named=module.params["to_be_named"]
        )
        if report.failures:
            module.fail_json(msg=report.failure_words(), **report.as_dict())
        module.exit_json(changed=False)
    report = apply(policy, host, check=module.check_mode, to_be_named=module.params["to_be_named"])
    result = {**report.as_dict(), "changed": bool(report.changes), "diff": _diff(report.changes)}
    if report.failures:
        module.fail_json(msg=report.failure_words(), **result)
    module.exit_json(**result)


def _diff(changes: list[Change]) -> dict[str, str]:
    """One line for each knob, as found and as wanted."""
    return {
        "before": "".join(f"{each.rail} {each.knob}: {each.found}\n" for each in changes),
        "after": "".join(f"{each.rail} {each.knob}: {each.wanted}\n" for each in changes),
        "before_header": "rails as found",
        "after_header": "rails as the policy says",
    }


if __name__ == "__main__":
    main()

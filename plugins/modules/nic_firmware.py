"""Ansible module: settings in the firmware of this host's NICs. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.nic_firmware import apply, judge
from ansible_collections.gpufabric.host.plugins.module_utils.nic_settings import find_problems
from ansible_collections.gpufabric.host.plugins.module_utils.roce_host import Host
from ansible_collections.gpufabric.host.plugins.module_utils.roce_report import Change

DOCUMENTATION = r"""
module: nic_firmware
short_description: Bring the firmware settings of a host's NICs to what is wanted, each read back
description:
  - Queries each rail's NIC by C(mlxconfig) or C(mstconfig), writes what differs at the NIC's next start, and reads it
    back. Nothing is written unless it is allowed, and nothing on any NIC if one of them is refused.
  - Keeps on the host what it wrote for the intent's profile, and sets it back to what it found once no variable asks
    for it.
  - Resets a card by C(mlxfwreset) or C(mstfwreset) if that is allowed, and reads the current values after that.
options:
  values:
    description: The variables of the role nic_firmware, without their prefix.
    type: dict
    required: true
  state:
    description:
      - V(applied) writes what differs; V(judged) reads, and refuses variables that make no sense and a host that cannot
        be brought to them.
    type: str
    choices: [applied, judged]
    default: applied
  early:
    description:
      - With O(state=judged), other roles have not run yet. A rail without interface, and a tool that C(rdma_stack)
        installs, do not count as missing.
    type: bool
    default: false
  names_now:
    description: With O(state=judged), the interface's name of a rail that does not have its name yet.
    type: dict
    default: {}
  root:
    description: Tree that holds C(/sys), C(/proc), and the record in C(/var/lib/gpufabric).
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: Bring the NICs' firmware to what is wanted
  gpufabric.host.nic_firmware:
    values: "{{ __nic_firmware_values }}"
"""

RETURN = r"""
changes:
  description: What was written or reset, or would be (rail, knob, found, wanted, by).
  type: list
  elements: dict
  returned: state is applied
resets:
  description: Cards that were reset, or would be.
  type: list
  elements: str
  returned: state is applied
absent_words:
  description: Rails whose NIC is no ConnectX.
  type: list
  elements: str
  returned: state is applied
reboot_reasons:
  description: What takes effect only after a reset of the card or a reboot.
  type: list
  elements: str
  returned: state is applied
power_cycle_reasons:
  description: What takes effect only after the power was away.
  type: list
  elements: str
  returned: state is applied
"""


def main() -> None:
    """What Ansible runs."""
    module = AnsibleModule(
        argument_spec={
            "values": {"type": "dict", "required": True},
            "state": {"type": "str", "choices": ["applied", "judged"], "default": "applied"},
            "early": {"type": "bool", "default": False},
            "names_now": {"type": "dict", "default": {}},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    values = module.params["values"]
    problems = find_problems(values)
    if problems:
        module.fail_json(msg="\n".join(problems), problems=problems)
    host = Host(root=Path(module.params["root"]))
    if module.params["state"] == "judged":
        early = module.check_mode or module.params["early"]
        report = judge(values, host, module.params["names_now"] if early else {}, early=early)
        if report.failures:
            module.fail_json(msg=report.failure_words(), **report.as_dict())
        module.exit_json(changed=False)
    report = apply(values, host, check=module.check_mode)
    result = {**report.as_dict(), "changed": bool(report.changes), "diff": _diff(report.changes)}
    if report.failures:
        module.fail_json(msg=report.failure_words(), **result)
    module.exit_json(**result)


def _diff(changes: list[Change]) -> dict[str, str]:
    """One line for each setting, as found and as wanted."""
    return {
        "before": "".join(f"{each.rail} {each.knob}: {each.found}\n" for each in changes),
        "after": "".join(f"{each.rail} {each.knob}: {each.wanted}\n" for each in changes),
        "before_header": "firmware as found",
        "after_header": "firmware as asked",
    }


if __name__ == "__main__":
    main()

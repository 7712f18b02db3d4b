"""Ansible module: judge a host against its variables. The action plug-in of the same name does all of it."""

from __future__ import annotations

DOCUMENTATION = r"""
module: host_validate
short_description: Judge a host against what it was told
description:
  - Reads rails, RoCE knobs, RDMA stack, NCCL's settings, kernel, planes and services of a host and compares each knob
    with the variables of the roles, as the inventory gives them. Changes nothing, in check mode and else.
  - Does not fail by itself where a knob is wrong; look at RV(passed).
  - Runs on the controller, by the fact modules of the roles.
options:
  plan:
    description:
      - Judge nothing, and return what the host needs to judge itself, RV(plan) and RV(sources). Role node_health
        writes both.
    type: bool
    default: false
  without:
    description: With O(plan), names of checks that are left out.
    type: list
    elements: str
    default: []
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Judge the host
  gpufabric.host.host_validate:
  register: judged
"""

RETURN = r"""
passed: {description: All that this host has was judged and is as wanted., type: bool, returned: always}
tested: {description: Knobs that were judged., type: int, returned: always}
of: {description: Knobs that this host has., type: int, returned: always}
skipped_knobs: {description: "Knobs that it does not have; findings say why.", type: int, returned: always}
findings:
  description: Each with check, subject, knob, verdict, wanted, found, shown_by (a command), shown_on and why.
  type: list
  elements: dict
  returned: always
lines: {description: The report for people., type: list, elements: str, returned: always}
plan: {description: "Checks, facts to read and variables.", type: dict, returned: with O(plan)}
sources: {description: "Python module that the host needs, to its source.", type: dict, returned: with O(plan)}
"""

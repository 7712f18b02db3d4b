"""Ansible module: what each rail's RoCE knobs stand at. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.port_kinds import refusal
from ansible_collections.gpufabric.host.plugins.module_utils.roce_state import BACKENDS, read_rails

DOCUMENTATION = r"""
module: roce_facts
short_description: What each rail's RoCE knobs stand at, and which could not be read
description:
  - Reads trust, code points, PFC, scheduling, buffers and DCBX by C(dcb) of iproute2 and by C(mlnx_qos), global pause
    by C(ethtool), ECN and CNP from sysfs (NVIDIA's modules), debugfs (the kernel's mlx5) or the firmware (C(mlxconfig),
    C(mstconfig)), the verbs traffic class from sysfs, the defaults of RDMA-CM from configfs, and the RoCE MTU by
    C(ibv_devinfo).
  - Sets nothing. To read RDMA-CM's defaults, configfs needs a folder of the device; it is made for the reading and
    removed again, which keeps the value.
  - A knob that cannot be read is null, and C(reason) says why. Where two tools disagree the knob is null, too.
options:
  rails:
    description: The rails' interfaces, as the kernel names them now.
    type: list
    elements: str
    required: true
  backend:
    description: Which tool shows what the driver's DCB operations hold. V(auto) asks both where there are both.
    type: str
    choices: [auto, dcb, mlnx_qos]
    default: auto
  registers:
    description: Ask for what the NICs' run-time registers hold, too (C(mlxreg), C(mstreg)).
    type: bool
    default: false
  root:
    description: Where /sys is read. The tools speak to the kernel all the same.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Read the RoCE knobs
  gpufabric.host.roce_facts:
    rails: "{{ roce_qos_rails }}"

- name: PFC is on for priority 3 only
  ansible.builtin.assert:
    that: ansible_facts.gpufabric_roce.rail0.pfc == [false, false, false, true, false, false, false, false]
    fail_msg: "{{ ansible_facts.gpufabric_roce.rail0.reason.pfc | default('PFC is on for other priorities') }}"
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_roce:
      description: Name of the interface to what it holds. Any knob is null where it could not be read.
      type: dict
      contains:
        netdev: {description: "The interface; null if there is none of this name.", type: str}
        driver: {description: "The NIC's kernel driver.", type: str}
        rdma_device: {description: "The RDMA device on the interface.", type: str}
        rdma_port: {description: "Its port.", type: int}
        dcbx: {description: "Who owns the exchange with the switch, C(os) or C(firmware).", type: str}
        trust: {description: "C(dscp) or C(pcp).", type: str}
        dscp_to_priority:
          description: The priority of each of 64 code points; null where the port holds no entry of it.
          type: list
          elements: int
        pfc: {description: "PFC for each of eight priorities.", type: list, elements: bool}
        ets:
          description: C(prio_tc) traffic class of each priority, C(tc_tsa) and C(tc_bw) (percent) of each class.
          type: dict
        cable_m: {description: "Length of cable in metres that buffers are sized for.", type: int}
        buffer: {description: "C(buffer_bytes) and C(priority_buffer) of eight each and C(total_bytes).", type: dict}
        pause_rx: {description: "Does the port stop for global pause frames.", type: bool}
        pause_tx: {description: "Does it send them.", type: bool}
        ecn_np: {description: "DCQCN's notification point for each priority.", type: list, elements: bool}
        ecn_rp: {description: "DCQCN's reaction point for each priority.", type: list, elements: bool}
        cnp_dscp: {description: "Code point of congestion notification packets.", type: int}
        cnp_priority: {description: "Their priority.", type: int}
        traffic_class:
          description: The byte (DSCP times 4 plus ECN bits) of verbs traffic. Null with source C(sysfs) is never set.
          type: int
        rdma_cm_tos: {description: "The same byte for connections by RDMA-CM.", type: int}
        rdma_cm_mode: {description: "C(RoCE v2) or C(IB/RoCE v1).", type: str}
        active_mtu: {description: "RoCE payload in bytes.", type: int}
        mtu_bytes: {description: "MTU of the interface.", type: int}
        virtual_functions: {description: "How many virtual functions the NIC's port has now.", type: int}
        reorder:
          description: Does the NIC accept reordered packets (C(ROCE_ACCL)). There only with O(registers=true).
          type: bool
        source:
          description: >-
            Each knob to C(dcb), C(mlnx_qos), C(sysfs), C(debugfs), C(firmware), C(configfs), C(ethtool),
            C(ibv_devinfo), C(mlxreg), C(mstreg), or why it is null, C(absent) (there is no such knob here),
            C(unreadable) (no tool could tell) or C(conflict) (tools disagree).
          type: dict
        reason: {description: "Each knob that is null to the reason.", type: dict}
        shown_by: {description: "Each knob to the command or file that shows it.", type: dict}
        firmware:
          description: >-
            Null where no knob stands there alone, so that it was not asked. C(settings) is name without port to
            C(current) and C(next_boot), empty with the C(reason).
          type: dict
"""


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "rails": {"type": "list", "elements": "str", "required": True},
            "backend": {"type": "str", "choices": list(BACKENDS), "default": "auto"},
            "registers": {"type": "bool", "default": False},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    wrong = [rail for rail in module.params["rails"] if not rail or "/" in rail or len(rail.encode()) > 15]
    if wrong:
        module.fail_json(msg=f"rails: {', '.join(map(repr, wrong))} cannot be an interface's name; see ip -br link")
    given = module.params
    how = {"root": Path(given["root"]), "backend": given["backend"], "registers": given["registers"]}
    if refused := refusal(given["rails"], how["root"]):
        module.fail_json(msg=refused)
    rails = read_rails(given["rails"], **how)
    module.exit_json(changed=False, ansible_facts={"gpufabric_roce": rails})


if __name__ == "__main__":
    main()

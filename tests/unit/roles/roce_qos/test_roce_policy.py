"""The policy's variables: what is refused, in which words, and which tables come of what is accepted."""

from typing import Any

import pytest
from roce_policy import Ets, PolicyError, find_problems, read_policy


def change_class(values: dict[str, Any], name: str, **changed: Any) -> dict[str, Any]:
    classes = [{**each, **changed} if each["name"] == name else each for each in values["classes"]]
    return {**values, "classes": classes}


def test_the_tables_of_the_lab_policy(values: dict[str, Any]) -> None:
    policy = read_policy(values)
    assert [dscp for dscp in range(64) if policy.dscp_to_priority[dscp]] == [26, 48]
    assert policy.dscp_to_priority[26] == 3
    assert policy.pfc == (False, False, False, True, False, False, False, False)
    assert policy.ecn_enabled == policy.pfc
    strict = "strict"
    assert policy.ets == Ets(
        prio_tc=(0, 0, 0, 3, 0, 0, 6, 0),
        tc_tsa=("ets", strict, strict, "ets", strict, strict, strict, strict),
        tc_bw=(40, 0, 0, 60, 0, 0, 0, 0),
    )


def test_ecn_off_is_declared_on_every_priority(values: dict[str, Any]) -> None:
    assert read_policy({**values, "ecn": False, "traffic_class": 104}).ecn_enabled == (False,) * 8


def test_where_nothing_is_lossless_rdmas_priority_is_not_paused_and_dcqcn_works_on_it(values: dict[str, Any]) -> None:
    policy = read_policy(change_class(values, "roce", lossless=False))
    assert policy.pfc == (False,) * 8
    assert policy.ecn_enabled == (False, False, False, True, False, False, False, False)


def test_rdma_that_is_neither_paused_nor_marked_is_refused(values: dict[str, Any]) -> None:
    lossy = change_class({**values, "ecn": False, "traffic_class": 104}, "roce", lossless=False)
    assert find_problems(lossy) == [
        "roce_qos_priority: 3 is the priority of roce, which is not lossless. Set lossless: true in the class roce"
    ]


MISTAKES = [
    pytest.param(
        {"dscp": None},
        "roce_qos_dscp: no value. The inventory plug-in gpufabric takes it from the intent; "
        "a host outside of it needs it in host_vars",
        id="a missing value",
    ),
    pytest.param(
        {"traffic_class": 26},
        "roce_qos_traffic_class: 26 is the DSCP, not the traffic class. Write 106: 4 x DSCP 26 + ECN bits",
        id="mistake b: DSCP where the traffic class is wanted",
    ),
    pytest.param(
        {"traffic_class": 104},
        "roce_qos_traffic_class: 104 is Not-ECT while roce_qos_ecn is true: switches drop what they should mark. "
        "Write 106: 4 x DSCP 26 + ECN bits",
        id="mistake a: Not-ECT with ECN on",
    ),
    pytest.param(
        {"ecn": False},
        "roce_qos_traffic_class: 106 is ECN-capable while roce_qos_ecn is false: switches mark, no sender slows down. "
        "Write 104: 4 x DSCP 26 + ECN bits",
        id="mistake m: ECN half on",
    ),
    pytest.param(
        {"traffic_class": 107},
        "roce_qos_traffic_class: 107 says in every packet that it met congestion (CE). "
        "Write 106: 4 x DSCP 26 + ECN bits",
        id="CE in every packet",
    ),
    pytest.param(
        {"traffic_class": 98},
        "roce_qos_traffic_class: 98 bears DSCP 24, not 26. Write 106: 4 x DSCP 26 + ECN bits",
        id="mistake l: another vendor's DSCP",
    ),
    pytest.param(
        {"priority": 4},
        "roce_qos_priority: 4 is no class's priority. Take one of 0, 3, 6 (roce_qos_classes)",
        id="a priority of no class",
    ),
    pytest.param(
        {"priority": 0},
        "roce_qos_priority: 0 is the priority of bulk, which is not lossless. Take 3",
        id="a priority that is not lossless",
    ),
    pytest.param(
        {"dscp": 10, "traffic_class": 42},
        "roce_qos_dscp: 10 is in the class bulk, priority 0, not 3. Move it into the class of roce_qos_priority 3",
        id="mistake c: RDMA's DSCP in a lossy class",
    ),
    pytest.param(
        {"cnp_dscp": 4},
        "roce_qos_cnp_priority: 6, but its DSCP 4 is in the class bulk, priority 0. "
        "Take 0, or another roce_qos_cnp_dscp",
        id="mistake e: notifications with DSCP 4",
    ),
    pytest.param(
        {"cnp_dscp": 26, "cnp_priority": 3},
        "roce_qos_cnp_priority: 3 is lossless: notifications would be paused with the data they are to slow down. "
        "Give notifications a class of their own, strict",
        id="notifications on the lossless priority",
    ),
    pytest.param({"backend": "lldptool"}, "roce_qos_backend: lldptool. One of auto, dcb, mlnx_qos", id="backend"),
    pytest.param(
        {"cable_m": 0},
        "roce_qos_cable_m: 0. Metres, 1 to 1000, or null to leave it to the NIC",
        id="cable of no length",
    ),
    pytest.param(
        {"rails": []}, "roce_qos_rails: []. Name the interfaces of this host's rails, as [rail0, rail1]", id="no rail"
    ),
    pytest.param(
        {"rails": ["rail0", "rail0"]}, "roce_qos_rails: rail0 twice. Name each interface once", id="a rail twice"
    ),
    pytest.param(
        {"rails": ["rail 0"]},
        "roce_qos_rails: 'rail 0' cannot be the name of an interface. At most 15 characters, no blank, no slash",
        id="not an interface's name",
    ),
    pytest.param(
        {"priority_buffer": [0, 0, 0, 9, 0, 0, 0, 0]},
        "roce_qos_priority_buffer: [0, 0, 0, 9, 0, 0, 0, 0]. Eight buffers, 0 to 7, or [] to leave them to the NIC",
        id="a buffer that is not there",
    ),
    pytest.param(
        {"trust_pcp": True}, "roce_qos_trust_pcp: not a variable of this role. Remove it", id="an unknown variable"
    ),
]


@pytest.mark.parametrize(("changed", "message"), MISTAKES)
def test_a_mistake_is_named_with_value_and_remedy(
    values: dict[str, Any], changed: dict[str, Any], message: str
) -> None:
    assert find_problems({**values, **changed}) == [message]


def test_two_lossless_priorities_are_refused(values: dict[str, Any]) -> None:
    found = find_problems(change_class(values, "cnp", lossless=True))
    assert found[0] == (
        "roce_qos_classes: priorities 3 (roce) and 6 (cnp) are lossless. "
        "PFC is for one of them: set lossless: false in the others"
    )


CLASS_MISTAKES = [
    pytest.param(
        "roce", {"dscp": []}, "no class has DSCP 26. Put each of the 64 into a class", id="a DSCP in no class"
    ),
    pytest.param(
        "roce", {"dscp": [26, 48]}, "DSCP 48 is in roce and in cnp. Put it into one", id="a DSCP in two classes"
    ),
    pytest.param("cnp", {"dscp": [48, 64]}, "cnp has DSCP 64. DSCPs are 0 to 63", id="no DSCP at all"),
    pytest.param("cnp", {"priority": 8}, "cnp has priority 8. Priorities are 0 to 7", id="no priority"),
    pytest.param("cnp", {"priority": 3}, "roce and cnp share priority 3. Give each its own", id="a shared priority"),
    pytest.param("roce", {"weight_percent": 50}, "weights are bulk 40 + roce 50 = 90. Make them 100", id="weights"),
    pytest.param(
        "roce",
        {"weight_percent": None},
        "roce has weight_percent None. Give it 1 to 100, or strict: true",
        id="no weight",
    ),
]


@pytest.mark.parametrize(("name", "changed", "message"), CLASS_MISTAKES)
def test_a_mistake_in_a_class_is_named(
    values: dict[str, Any], name: str, changed: dict[str, Any], message: str
) -> None:
    assert find_problems(change_class(values, name, **changed)) == [f"roce_qos_classes: {message}"]


def test_all_mistakes_come_at_once(values: dict[str, Any]) -> None:
    with pytest.raises(PolicyError) as caught:
        read_policy({**values, "traffic_class": 26, "cnp_dscp": 4, "backend": "ethtool"})
    assert len(caught.value.problems) == 3


def test_without_ecn_notifications_need_no_class(values: dict[str, Any]) -> None:
    assert not find_problems({**values, "ecn": False, "traffic_class": 104, "cnp_dscp": 26, "cnp_priority": 3})

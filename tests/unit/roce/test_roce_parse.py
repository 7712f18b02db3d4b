"""The parsers against what the tools printed. A wrong reading of a recording fails here, not on a host."""

from __future__ import annotations

import pytest
from roce_parse import (
    CONFLICT,
    Unreadable,
    dscp_map,
    parse_active_mtu,
    parse_dcb_app,
    parse_dcb_buffer,
    parse_dcb_dcbx,
    parse_dcb_ets,
    parse_dcb_pfc,
    parse_ethtool_pause,
    parse_mlnx_qos,
    parse_traffic_class,
    trust_of,
)
from transcripts import read_transcript, stdout_of

ONLY_3 = [False, False, False, True, False, False, False, False]
BY_EIGHTS = [dscp // 8 for dscp in range(64)]


def last(name: str, command: str) -> str:
    return [call.stdout for call in read_transcript(name) if call.command == command][-1]


def test_pfc_and_cable_length_of_dcb() -> None:
    text = last("dcb/pfc.txt", "dcb -j pfc show dev dcbsim0")
    assert parse_dcb_pfc(text) == {"pfc": ONLY_3, "cable_m": 32}


def test_the_whole_map_of_dcb() -> None:
    pairs = parse_dcb_app(stdout_of("dcb/whole_policy.txt", "dcb -j app show dev dcbsim0"))
    assert dscp_map(pairs) == [{26: 3, 48: 6}.get(dscp, 0) for dscp in range(64)]
    assert trust_of(pairs) == "dscp"


def test_a_port_without_entries_trusts_pcp_and_maps_nothing() -> None:
    pairs = parse_dcb_app(stdout_of("dcb/app.txt", "dcb -j app show dev dcbsim0"))
    assert trust_of(pairs) == "pcp"
    assert dscp_map(pairs) == [None] * 64


def test_other_selectors_are_no_code_points() -> None:
    shown = [call.stdout for call in read_transcript("dcb/app.txt") if "default_prio" in call.stdout]
    assert parse_dcb_app(shown[0]) == [(0, 0), (1, 0), (26, 3), (48, 6)]


def test_two_priorities_for_one_code_point_are_told_and_not_chosen_from() -> None:
    shown = next(call.stdout for call in read_transcript("dcb/app.txt") if "[26,3],[26,4]" in call.stdout)
    with pytest.raises(Unreadable, match="code point 26 has two priorities: 3 and 4") as caught:
        dscp_map(parse_dcb_app(shown))
    assert caught.value.source == CONFLICT


def test_scheduling_of_dcb() -> None:
    ets = parse_dcb_ets(last("dcb/ets.txt", "dcb -j ets show dev dcbsim0"))
    assert ets == {
        "prio_tc": [0, 1, 2, 3, 4, 5, 6, 7],
        "tc_tsa": ["ets", "strict", "strict", "ets", "strict", "strict", "strict", "strict"],
        "tc_bw": [50, 0, 0, 50, 0, 0, 0, 0],
    }


def test_buffers_of_dcb_are_bytes() -> None:
    buffer = parse_dcb_buffer(last("dcb/buffer.txt", "dcb -j buffer show dev dcbsim0"))
    assert buffer == {
        "buffer_bytes": [131072, 262144, 0, 0, 0, 0, 0, 0],
        "priority_buffer": [0, 0, 0, 1, 0, 0, 0, 0],
        "total_bytes": 524288,
    }


def test_who_owns_the_exchange() -> None:
    shown = [call.stdout for call in read_transcript("dcb/dcbx.txt") if call.stdout.startswith("{")]
    assert [parse_dcb_dcbx(text) for text in shown] == ["os", "os", "firmware"]


def test_a_port_as_it_leaves_the_factory() -> None:
    found = parse_mlnx_qos(stdout_of("mlnx_qos/factory.txt", "mlnx_qos -i ens6"))
    assert found["dcbx"] == "os"
    assert found["trust"] == "pcp"
    assert found["dscp_pairs"] == []
    assert found["pfc"] == [False] * 8
    assert found["cable_m"] == 7
    assert found["ets"]["prio_tc"] == [1, 0, 2, 3, 4, 5, 6, 7]
    assert found["ets"]["tc_tsa"] == ["vendor"] * 8
    assert found["buffer"]["buffer_bytes"] == [524160, 0, 0, 0, 0, 0, 0, 0]
    assert found["buffer"]["total_bytes"] is None


def test_trust_dscp_brings_the_map_by_eights() -> None:
    found = parse_mlnx_qos(stdout_of("mlnx_qos/trust_dscp.txt", "mlnx_qos -i ens6"))
    assert dscp_map(found["dscp_pairs"]) == BY_EIGHTS


def test_a_priority_with_more_than_eight_code_points_has_two_lines() -> None:
    found = parse_mlnx_qos(read_transcript("mlnx_qos/pfc_and_moved_code_point.txt")[0].stdout)
    assert dscp_map(found["dscp_pairs"]) == [6 if dscp == 30 else dscp // 8 for dscp in range(64)]
    assert found["pfc"] == ONLY_3
    assert found["buffer"]["priority_buffer"] == [0, 2, 5, 7, 1, 2, 3, 6]


def test_the_firmwares_own_settings() -> None:
    found = parse_mlnx_qos(stdout_of("mlnx_qos/firmware_controlled.txt", "mlnx_qos -i mce0"))
    assert found["dcbx"] == "firmware"
    assert found["buffer"]["total_bytes"] == 262016
    assert found["ets"]["prio_tc"] == [0, 0, 0, 3, 0, 0, 6, 0]
    assert found["ets"]["tc_bw"] == [50, 0, 0, 50, 0, 0, 0, 0]
    assert found["ets"]["tc_tsa"] == ["ets", None, None, "ets", None, None, "vendor", None]


def test_an_old_version_shows_no_buffers_and_none_are_made_up() -> None:
    found = parse_mlnx_qos(stdout_of("mlnx_qos/ets_and_strict.txt", "mlnx_qos -i eth2"))
    assert "buffer" not in found
    assert found["pfc"] == [True, False, True, False, False, False, True, True]
    assert found["ets"]["tc_tsa"][6] == "strict"
    assert sum(found["ets"]["tc_bw"]) == 100


def test_an_interface_without_dcb_yields_nothing() -> None:
    assert parse_mlnx_qos(read_transcript("mlnx_qos/not_supported.txt")[0].stdout) == {}


def test_global_pause() -> None:
    shown = [parse_ethtool_pause(call.stdout) for call in read_transcript("ethtool/pause.txt")]
    assert shown == [{"pause_rx": True, "pause_tx": True}, {"pause_rx": False, "pause_tx": False}]


def test_a_traffic_class_that_was_never_set_is_none_and_not_zero() -> None:
    shown = [call.stdout for call in read_transcript("kernel/sysfs_mlx5_traffic_class.txt") if "cat" in call.command]
    assert [parse_traffic_class(text) for text in shown] == [None, 106]


def test_a_traffic_class_file_of_an_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="something else"):
        parse_traffic_class("something else\n")


def test_active_mtu_is_the_ports() -> None:
    text = stdout_of("ibv_devinfo/rxe.txt", "ibv_devinfo -d rxe0")
    assert parse_active_mtu(text, 1) == 4096
    with pytest.raises(StopIteration):
        parse_active_mtu(text, 2)

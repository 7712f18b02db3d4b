"""Every setting of nic_firmware: desired, current, next start, on stand-ins that answer as recorded from real tools."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import RAILS, values_of
from nic_settings import NAMES, find_problems, wanted_settings

ROCE = {"policy": True}
SPECTRUM_X = {"spectrum_x": True}
TABLE: list[tuple[str, dict[str, Any], str, str, str]] = [
    # setting, variables, another value, the wanted one as the tool shows it, what brings it in
    ("LINK_TYPE", {"link_type": "eth"}, "IB(1)", "ETH(2)", "reset"),
    ("DCBX_WILLING", ROCE, "True(1)", "False(0)", "reset"),
    ("LLDP_NB_DCBX", ROCE, "True(1)", "False(0)", "reset"),
    ("LLDP_NB_RX_MODE", ROCE, "ALL(2)", "OFF(0)", "reset"),
    ("LLDP_NB_TX_MODE", ROCE, "ALL(2)", "OFF(0)", "reset"),
    ("ROCE_CC_PRIO_MASK", ROCE, "255", "8", "reset"),
    ("ROCE_CC_PRIO_MASK", {**ROCE, "ecn": False}, "255", "0", "reset"),
    ("CNP_DSCP", ROCE, "4", "48", "reset"),
    ("CNP_802P_PRIO", ROCE, "5", "6", "reset"),
    ("ROCE_CC_LEGACY_DCQCN", {"cc_algorithm": "dcqcn"}, "False(0)", "True(1)", "reset"),
    ("ROCE_CC_LEGACY_DCQCN", {"cc_algorithm": "programmable"}, "True(1)", "False(0)", "reset"),
    ("PCI_WR_ORDERING", {"pci_wr_ordering": "force_relax"}, "per_mkey(0)", "force_relax(1)", "reset"),
    ("PCI_WR_ORDERING", {"pci_wr_ordering": "per_mkey"}, "force_relax(1)", "per_mkey(0)", "reset"),
    ("ATS_ENABLED", {"ats": "off"}, "True(1)", "False(0)", "reset"),
    ("ATS_ENABLED", {"ats": "on"}, "False(0)", "True(1)", "reset"),
    ("SRIOV_EN", {"vfs": 8}, "False(0)", "True(1)", "reset"),
    ("SRIOV_EN", {"vfs": 0}, "True(1)", "False(0)", "reset"),
    ("NUM_OF_VFS", {"vfs": 8}, "16", "8", "reset"),
    ("ROCE_ADAPTIVE_ROUTING_EN", {"reorder": True}, "False(0)", "True(1)", "reset"),
    ("USER_PROGRAMMABLE_CC", SPECTRUM_X, "False(0)", "True(1)", "reset"),
    ("TX_SCHEDULER_LOCALITY_MODE", SPECTRUM_X, "0", "2", "reset"),
    ("ROCE_CC_STEERING_EXT", SPECTRUM_X, "0", "2", "reset"),
    ("MULTIPATH_DSCP", SPECTRUM_X, "1", "0", "reset"),
    ("ROCE_ADAPTIVE_ROUTING_EN", SPECTRUM_X, "False(0)", "True(1)", "reset"),
    ("INTERNAL_CPU_OFFLOAD_ENGINE", {"mode": "nic"}, "ENABLED(0)", "DISABLED(1)", "power cycle"),
]
ALONE = {"link_type": "keep", "mode": "keep"}
"""Nothing is asked for but what a row asks for."""


def test_the_table_has_every_setting_of_the_role() -> None:
    assert {row[0] for row in TABLE} == set(NAMES)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("name", "variables", "other", "wanted", "by"), TABLE, ids=[f"{row[0]}-{row[3]}" for row in TABLE]
)
def test_a_setting_is_written_once_and_in_effect_after_what_brings_it_in(
    card_host, name: str, variables: dict[str, Any], other: str, wanted: str, by: str
) -> None:
    here = card_host()
    here.set(name, other)
    variables = {**ALONE, **variables}
    refused = here.apply(**variables)
    assert any(
        f"{name}" in each.knob and "nic_firmware_change_allowed is false" in each.why for each in refused.failures
    )
    assert here.calls() == []
    report = here.apply(**variables, change_allowed=True)
    assert not report.failures
    assert here.settings(name) == {(other, wanted)}
    assert bool(report.power_cycle_reasons) == (by == "power cycle")
    if by == "reset":
        assert len(report.reboot_reasons) == len(RAILS)
        assert not here.apply(**variables, change_allowed=True, reset_allowed=True).failures
        assert here.settings(name) == {(wanted, wanted)}
        again = here.apply(**variables, change_allowed=True, reset_allowed=True)
        assert (again.changes, again.resets, again.reboot_reasons, again.failures) == ([], [], [], [])


@pytest.mark.parametrize("name", sorted({row[0] for row in TABLE}))
def test_what_no_variable_asks_for_is_left_alone(card_host, name: str) -> None:
    assert name not in {each.name for each in wanted_settings(values_of(**ALONE))}


def test_a_value_that_only_waits_needs_no_permission_to_change(card_host) -> None:
    here = card_host()
    nic = here.nic("rail0")
    for rail in RAILS:
        here.nic(rail, firmware_next={**nic["firmware_next"], "PCI_WR_ORDERING": "force_relax(1)"})
    report = here.apply(**ALONE, pci_wr_ordering="force_relax")
    assert (report.failures, report.changes) == ([], [])
    assert report.reboot_reasons == [
        f"{rail}: the firmware of {pci} takes its settings after a reset (mlxfwreset)" for rail, pci in RAILS.items()
    ]


def test_a_card_is_reset_once_for_all_of_its_ports(card_host) -> None:
    here = card_host()
    report = here.apply(**ALONE, vfs=8, change_allowed=True, reset_allowed=True)
    assert report.resets == ["0000:01:00"]
    assert [each for each in here.calls() if "reset" in each] == ["mlxfwreset -d 0000:01:00.0 -y reset"]


def test_a_reset_that_brings_nothing_in_fails_and_names_the_remedy(card_host) -> None:
    here = card_host()
    for rail in RAILS:
        here.nic(rail, reset_fails=True)
    report = here.apply(**ALONE, pci_wr_ordering="force_relax", change_allowed=True, reset_allowed=True)
    assert {(each.rail, each.found) for each in report.failures} == {(rail, "0 after the reset") for rail in RAILS}
    assert all("reboot, or cycle the power" in each.why for each in report.failures)


def test_a_dry_run_writes_and_resets_nothing(card_host) -> None:
    here = card_host()
    before = here.memory()
    report = here.apply(**ALONE, vfs=8, change_allowed=True, reset_allowed=True, check=True)
    assert report.changes
    assert report.resets == ["0000:01:00"]
    assert here.memory() == before
    assert here.calls() == []


def test_a_connectx_has_no_mode_and_passes(card_host) -> None:
    here = card_host("connectx7")
    report = here.apply()
    assert (report.failures, report.changes) == ([], [])


def test_a_card_without_a_setting_is_refused_with_variable_and_remedy(card_host) -> None:
    here = card_host("plain")
    before = here.memory()
    report = here.apply(reorder=True, pci_wr_ordering="force_relax", change_allowed=True)
    assert {each.knob for each in report.failures} == {"ROCE_ADAPTIVE_ROUTING_EN", "PCI_WR_ORDERING"}
    assert {each.found for each in report.failures} == {"no such setting"}
    assert "take back nic_firmware_pci_wr_ordering" in " ".join(each.why for each in report.failures)
    assert here.memory() == before


def test_one_nic_that_cannot_be_brought_keeps_all_others_as_they_are(card_host) -> None:
    here = card_host()
    nic = here.nic("rail1")
    for key in ("firmware", "firmware_next", "factory_firmware"):
        del nic[key]["PCI_WR_ORDERING"]
    here.nic("rail1", **nic)
    before = here.memory()
    report = here.apply(**ALONE, pci_wr_ordering="force_relax", change_allowed=True)
    assert [each.rail for each in report.failures] == ["rail1"]
    assert here.memory() == before


def test_a_locked_down_kernel_is_could_not_tell_with_the_remedy(card_host) -> None:
    report = card_host("bluefield3", "locked_down").judge(early=True)
    assert {each.found for each in report.failures} == {"could not tell"}
    assert "fwctl" in report.failures[0].why
    assert "Asked for by nic_firmware_link_type, nic_firmware_mode" in report.failures[0].why


def test_a_locked_down_kernel_of_which_nothing_is_asked_is_not_asked(card_host) -> None:
    assert card_host("bluefield3", "locked_down").judge(**ALONE).failures == []


def test_a_tool_that_another_role_installs_is_no_refusal_before_it_ran(card_host) -> None:
    here = card_host()
    for tool in ("mlxconfig", "mstconfig"):
        (here.folder / "bin" / tool).unlink()
    assert here.judge(early=True).failures == []
    assert "package mstflint" in here.judge().failures[0].why


@pytest.mark.parametrize(
    ("floors", "allowed", "refused"),
    [
        (["28.40.1000"], False, False),
        (["28.39.3560"], False, False),
        (["28.43.1014"], False, True),
        (["28.43.1014"], True, False),
        (["28.100.1"], False, True),
        (["32.43.1014"], False, False),
    ],
)
def test_firmware_below_the_floor_of_its_series_is_refused(
    card_host, floors: list[str], allowed: bool, refused: bool
) -> None:
    report = card_host("connectx7").apply(floors=floors, below_floor_allowed=allowed)
    assert [each.rail for each in report.failures] == (list(RAILS) if refused else [])
    for each in report.failures:
        assert each.found == "28.40.1000"
        assert "nic_firmware_below_floor_allowed: true" in each.why


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"also_owned": True},
            "roce_qos_firmware: true: this role alone owns the firmware's settings. Remove it, and",
        ),
        ({"vfs": -2}, "nic_firmware_vfs: -2. Write 0 to"),
        ({"priority": 8}, "nic_firmware_priority: 8. Write 0 to 7"),
        ({"floors": ["28.40"]}, "nic_firmware_floors: '28.40' is no version"),
        ({"floors": ["28.40.1", "28.39.2"]}, "28.40.1 is not the only one of its series"),
    ],
)
def test_variables_that_make_no_sense_are_named_with_the_remedy(changed: dict[str, Any], message: str) -> None:
    assert message in find_problems(values_of(**changed))[0]


def test_good_variables_have_no_problem() -> None:
    assert find_problems(values_of(policy=True, vfs=16, floors=["28.39.3560", "32.39.3560"])) == []


def test_facts_have_the_settings_without_their_port_and_the_version(card_host) -> None:
    found = card_host().facts()["rail1"]
    assert (found["pci"], found["version"], found["driver"]) == ("0000:01:00.1", "28.40.1000", "mlx5_core")
    assert set(found["settings"]) == set(NAMES)
    assert found["settings"]["CNP_DSCP"] == {"current": 48, "next_boot": 48}

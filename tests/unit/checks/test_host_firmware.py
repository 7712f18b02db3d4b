"""host_validate judges each setting that role nic_firmware owns, now and at the NIC's next start."""

from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.firmware import check_firmware
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding
from tests.unit.checks.right_host import RAILS, facts, variables

ALL = {
    "nic_firmware_policy": True,
    "nic_firmware_cc_algorithm": "dcqcn",
    "nic_firmware_pci_wr_ordering": "force_relax",
    "nic_firmware_ats": "off",
    "nic_firmware_vfs": 8,
    "nic_firmware_reorder": True,
}
GOOD = {
    "LINK_TYPE": 2,
    "DCBX_WILLING": 0,
    "LLDP_NB_DCBX": 0,
    "LLDP_NB_RX_MODE": 0,
    "LLDP_NB_TX_MODE": 0,
    "ROCE_CC_PRIO_MASK": 8,
    "CNP_DSCP": 48,
    "CNP_802P_PRIO": 6,
    "ROCE_CC_LEGACY_DCQCN": 1,
    "PCI_WR_ORDERING": 1,
    "ATS_ENABLED": 0,
    "SRIOV_EN": 1,
    "NUM_OF_VFS": 8,
    "ROCE_ADAPTIVE_ROUTING_EN": 1,
    "INTERNAL_CPU_OFFLOAD_ENGINE": 1,
}


def found_with(**changed: dict[str, int] | None) -> dict[str, Any]:
    """Facts of a host with every setting as ALL asks, but for these of rail2."""
    found = facts()
    for each in found["gpufabric_nic_firmware"].values():
        each["settings"] = {name: {"current": value, "next_boot": value} for name, value in GOOD.items()}
    settings = found["gpufabric_nic_firmware"]["rail2"]["settings"]
    for name, setting in changed.items():
        if setting is None:
            del settings[name]
        else:
            settings[name] = setting
    return found


def judged(found: dict[str, Any], **more: Any) -> list[HostFinding]:
    return check_firmware(HostEvidence("gpu-1", variables(**{**ALL, **more}), found, {}))


def of(findings: list[HostFinding], verdict: Verdict) -> list[HostFinding]:
    return [each for each in findings if each.verdict is verdict]


def test_every_setting_is_judged_twice_on_each_rail() -> None:
    findings = judged(found_with())
    assert {each.verdict for each in findings} == {Verdict.PASS}
    assert len(findings) == len(GOOD) * 2 * len(RAILS)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("moment", ["current", "next_boot"])
def test_a_setting_that_differs_now_or_at_the_next_start_fails(name: str, moment: str) -> None:
    setting = {"current": GOOD[name], "next_boot": GOOD[name], moment: GOOD[name] + 1}
    (failed,) = of(judged(found_with(**{name: setting})), Verdict.FAIL)
    assert failed.name == f"rail2 {name} {'now' if moment == 'current' else 'at the next start'}"
    waits = "a power cycle" if name.startswith("INTERNAL") else "a reset of the NIC (mlxfwreset) or a reboot"
    assert failed.why == (f"waits for {waits}" if moment == "current" else "the role nic_firmware sets it")


@pytest.mark.parametrize("name", GOOD)
def test_a_card_without_a_setting_fails_unless_not_every_card_has_it(name: str) -> None:
    findings = judged(found_with(**{name: None}))
    verdict = Verdict.SKIPPED if name in ("LINK_TYPE", "INTERNAL_CPU_OFFLOAD_ENGINE") else Verdict.FAIL
    assert len(of(findings, verdict)) == 2


def test_a_nic_that_cannot_be_asked_is_could_not_tell() -> None:
    found = found_with()
    found["gpufabric_nic_firmware"]["rail2"].update(settings={}, reason="the kernel is locked down")
    untold = of(judged(found), Verdict.ERROR)
    assert len(untold) == len(GOOD) * 2
    assert {each.why for each in untold} == {"the kernel is locked down"}


def test_what_nobody_read_is_could_not_tell() -> None:
    found = found_with()
    del found["gpufabric_nic_firmware"]
    assert {each.verdict for each in judged(found)} == {Verdict.ERROR}


def test_soft_roce_has_no_firmware() -> None:
    found = found_with()
    for each in found["gpufabric_nic_firmware"].values():
        each.update(driver="virtio_net", settings={}, reason="the NIC is not of mlx5_core")
    assert {each.verdict for each in judged(found)} == {Verdict.SKIPPED}


@pytest.mark.parametrize(
    ("version", "allowed", "verdict"),
    [
        ("28.40.1000", False, Verdict.PASS),
        ("28.9.5000", False, Verdict.FAIL),
        ("28.9.5000", True, Verdict.SKIPPED),
        ("32.41.1000", False, Verdict.SKIPPED),
        ("", False, Verdict.ERROR),
    ],
)
def test_a_version_is_judged_by_the_floor_of_its_series(version: str, allowed: bool, verdict: Verdict) -> None:
    found = found_with()
    found["gpufabric_nic_firmware"]["rail2"]["version"] = version
    more = {"nic_firmware_floors": ["28.39.3560"], "nic_firmware_below_floor_allowed": allowed}
    (finding,) = [each for each in judged(found, **more) if each.name == "rail2 version"]
    assert finding.verdict is verdict


SPECTRUM_X = {
    "USER_PROGRAMMABLE_CC": 1,
    "TX_SCHEDULER_LOCALITY_MODE": 2,
    "ROCE_CC_STEERING_EXT": 2,
    "MULTIPATH_DSCP": 0,
}


def with_algorithm(word: str | None) -> dict[str, Any]:
    found = found_with()
    for each in found["gpufabric_nic_firmware"].values():
        each["settings"] |= {name: {"current": value, "next_boot": value} for name, value in SPECTRUM_X.items()}
        each["algorithm"] = "runs"
    if word is None:
        del found["gpufabric_nic_firmware"]["rail2"]["algorithm"]
    else:
        found["gpufabric_nic_firmware"]["rail2"]["algorithm"] = word
    return found


def test_spectrum_x_is_judged_by_its_settings_and_by_the_algorithm_that_runs() -> None:
    findings = judged(with_algorithm("runs"), nic_firmware_spectrum_x=True)
    assert {each.verdict for each in findings} == {Verdict.PASS}
    assert len(findings) == (len({**GOOD, **SPECTRUM_X}) * 2 + 1) * len(RAILS)


@pytest.mark.parametrize("name", SPECTRUM_X)
def test_a_setting_of_spectrum_x_that_differs_fails(name: str) -> None:
    found = with_algorithm("runs")
    found["gpufabric_nic_firmware"]["rail2"]["settings"][name]["current"] += 1
    (failed,) = of(judged(found, nic_firmware_spectrum_x=True), Verdict.FAIL)
    assert failed.name == f"rail2 {name} now"


@pytest.mark.parametrize(
    ("word", "verdict"), [("is installed", Verdict.FAIL), ("is not installed", Verdict.FAIL), (None, Verdict.ERROR)]
)
def test_without_its_algorithm_a_rail_of_spectrum_x_does_not_pass(word: str | None, verdict: Verdict) -> None:
    (finding,) = of(judged(with_algorithm(word), nic_firmware_spectrum_x=True), verdict)
    assert finding.name == "rail2 Spectrum-X algorithm"


def with_written(current: int, next_boot: int) -> dict[str, Any]:
    """A host whose role wrote 2 where it had found 0, for a profile that the site no longer has."""
    found = found_with()
    rail = found["gpufabric_nic_firmware"]["rail2"]
    rail["settings"]["TX_SCHEDULER_LOCALITY_MODE"] = {"current": current, "next_boot": next_boot}
    rail["written"] = {"TX_SCHEDULER_LOCALITY_MODE": {"found": 0, "wrote": 2, "by": "nic_firmware_spectrum_x"}}
    return found


@pytest.mark.parametrize(
    ("current", "next_boot", "verdicts", "why"),
    [
        (2, 2, [Verdict.FAIL, Verdict.FAIL], "which asks for it no more; role nic_firmware takes it back"),
        (2, 0, [Verdict.FAIL, Verdict.PASS], "goes back by a reset of the NIC (mlxfwreset) or a reboot"),
        (0, 0, [Verdict.PASS, Verdict.PASS], ""),
        (3, 3, [], ""),
    ],
)
def test_what_the_role_wrote_for_an_earlier_profile_fails_until_it_is_back(
    current: int, next_boot: int, verdicts: list[Verdict], why: str
) -> None:
    findings = judged(with_written(current, next_boot))
    here = [each for each in findings if "TX_SCHEDULER" in each.name]
    assert [each.verdict for each in here] == verdicts
    assert all(why in each.why for each in here if each.verdict is Verdict.FAIL)
    still = judged(with_written(2, 2), nic_firmware_spectrum_x=True)
    assert [each.wanted for each in still if each.name == "rail2 TX_SCHEDULER_LOCALITY_MODE now"] == ["2"]

"""What the role wrote for the intent's profile goes back to what it found, once the profile asks for it no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from conftest import RAILS, CardHost
from nic_record import FILE, OF_THE_PROFILE, Written, after_writing
from nic_settings import SPECTRUM_X, Want
from roce_firmware import Setting

PROFILES: dict[str, dict[str, Any]] = {
    "dcqcn": {"ecn": True, "cnp_dscp": 40, "cnp_priority": 5},
    "pfc_only": {"ecn": False},
    "lossy": {"ecn": True, "cnp_dscp": 46, "cnp_priority": 7},
    "spectrum_x": {"ecn": True, "cnp_dscp": 40, "cnp_priority": 5, "spectrum_x": True},
}
"""What the four profiles have the role want; marks of notifications differ so that none is the factory's."""
ALLOWED = {"policy": True, "change_allowed": True, "reset_allowed": True}


def written(here: CardHost) -> bytes | None:
    path = here.host.at(FILE)
    return path.read_bytes() if path.exists() else None


def state(here: CardHost) -> tuple[list[str], bytes | None]:
    """All that a run may have left: the NICs' memory and the record."""
    return here.memory(), written(here)


def bring(here: CardHost, **values: Any) -> None:
    report = here.apply(**{**ALLOWED, **values})
    assert report.failures == []


def circuit(names: list[str]) -> Iterator[str]:
    """A walk that goes from each name to each other one once."""
    left = {(one, other) for one in names for other in names if one != other}
    stack, walk = [names[0]], []
    while stack:
        here = stack[-1]
        onward = next((edge for edge in sorted(left) if edge[0] == here), None)
        if onward is None:
            walk.append(stack.pop())
        else:
            left.remove(onward)
            stack.append(onward[1])
    return reversed(walk)


def test_each_profile_after_each_other_one_leaves_the_nics_as_if_it_had_been_the_first(card_host, figure) -> None:
    here = card_host()
    factory = state(here)
    first: dict[str, Any] = {}
    walk = list(circuit(list(PROFILES)))
    assert len(set(pairwise(walk))) == 12
    for name in walk:
        bring(here, **PROFILES[name])
        assert state(here) == first.setdefault(name, state(here)), name
    assert len({str(each) for each in first.values()}) == len(PROFILES)
    assert not here.apply(**{**ALLOWED, **PROFILES[walk[-1]]}).changes
    figure(f"{len(walk) - 1} changes of profile, each of the 12 ways once: NICs and record as at first, byte for byte")
    here.apply(change_allowed=True, reset_allowed=True, link_type="keep", mode="keep")
    mode = {"INTERNAL_CPU_OFFLOAD_ENGINE"}  # of nic_firmware_mode, which keeps what it wrote
    for memory, came in zip(here.memory(), factory[0], strict=True):
        now, then = json.loads(memory)["firmware_next"], json.loads(came)["firmware_next"]
        assert {name for name in now if now[name] != then[name]} <= mode
    assert written(here) is None


def test_what_the_operator_had_set_before_is_what_goes_back(card_host) -> None:
    here = card_host()
    here.set("TX_SCHEDULER_LOCALITY_MODE", "1")
    here.set("ROCE_CC_STEERING_EXT", "2")  # as the profile wants it: never the role's
    bring(here, **PROFILES["spectrum_x"])
    bring(here, **PROFILES["dcqcn"])
    assert here.settings("TX_SCHEDULER_LOCALITY_MODE") == {("1", "1")}
    assert here.settings("ROCE_CC_STEERING_EXT") == {("2", "2")}
    assert here.settings("USER_PROGRAMMABLE_CC") == {("False(0)", "False(0)")}


def test_what_somebody_else_set_since_is_left_alone_and_forgotten(card_host) -> None:
    here = card_host()
    bring(here, **PROFILES["spectrum_x"])
    here.set("TX_SCHEDULER_LOCALITY_MODE", "3")
    bring(here, **PROFILES["dcqcn"])
    assert here.settings("TX_SCHEDULER_LOCALITY_MODE") == {("3", "3")}
    assert "TX_SCHEDULER_LOCALITY_MODE" not in (written(here) or b"").decode()


def test_what_another_variable_still_asks_for_stays_until_none_does(card_host) -> None:
    here = card_host()
    bring(here, **PROFILES["spectrum_x"])
    bring(here, **PROFILES["dcqcn"], reorder=True)
    assert here.settings("ROCE_ADAPTIVE_ROUTING_EN") == {("True(1)", "True(1)")}
    bring(here, **PROFILES["dcqcn"])
    assert here.settings("ROCE_ADAPTIVE_ROUTING_EN") == {("False(0)", "False(0)")}


def test_what_a_variable_keeps_is_kept_after_it_was_asked_for(card_host) -> None:
    here = card_host()
    bring(here, **PROFILES["dcqcn"], ats="off", pci_wr_ordering="force_relax", vfs=8)
    bring(here, **PROFILES["dcqcn"])
    assert here.settings("ATS_ENABLED") == {("False(0)", "False(0)")}
    assert here.settings("PCI_WR_ORDERING") == {("force_relax(1)", "force_relax(1)")}
    assert here.settings("NUM_OF_VFS") == {("8", "8")}
    assert {each["by"] for nic in json.loads(written(here) or b"").values() for each in nic.values()} <= {
        *OF_THE_PROFILE
    }


def test_taking_back_needs_the_permission_to_write_and_is_refused_by_name(card_host) -> None:
    here = card_host()
    bring(here, **PROFILES["spectrum_x"])
    before = state(here)
    report = here.apply(policy=True, **PROFILES["dcqcn"])
    assert {each.knob for each in report.failures} == set(SPECTRUM_X)
    assert str(next(each for each in report.failures if each.knob == "ROCE_ADAPTIVE_ROUTING_EN")) == (
        "rail0 ROCE_ADAPTIVE_ROUTING_EN: wanted 0 (as it was before nic_firmware_spectrum_x), found 1: "
        "nic_firmware_change_allowed is false. Set it to true, or change nic_firmware_spectrum_x"
    )
    assert state(here) == before


def test_a_dry_run_tells_what_goes_back_and_leaves_nics_and_record(card_host) -> None:
    here = card_host()
    bring(here, **PROFILES["spectrum_x"])
    before = state(here)
    report = here.apply(check=True, **{**ALLOWED, **PROFILES["dcqcn"]})
    assert {each.knob for each in report.changes if each.knob in SPECTRUM_X} == set(SPECTRUM_X)
    assert state(here) == before


def test_without_a_reset_the_record_stays_until_what_goes_back_is_in_effect(card_host) -> None:
    here = card_host()
    bring(here, **PROFILES["spectrum_x"])
    waits = {**ALLOWED, **PROFILES["dcqcn"], "reset_allowed": False}
    assert len(here.apply(**waits).reboot_reasons) == len(RAILS)
    assert b"USER_PROGRAMMABLE_CC" in (written(here) or b"")
    assert here.facts()["rail0"]["written"]["USER_PROGRAMMABLE_CC"] == {
        "found": 0,
        "wrote": 1,
        "by": "nic_firmware_spectrum_x",
    }
    again = here.apply(**waits)
    assert (again.changes, len(again.reboot_reasons)) == ([], len(RAILS))
    bring(here, **PROFILES["dcqcn"])
    assert b"USER_PROGRAMMABLE_CC" not in (written(here) or b"")


def test_a_record_that_cannot_be_read_is_refused_before_anything_is_written(card_host) -> None:
    here = card_host()
    path = here.host.at(FILE)
    path.parent.mkdir(parents=True)
    path.write_text('{"0000:01:00.0": {"CNP_DSCP": 48}}')
    before = here.memory()
    report = here.apply(**{**ALLOWED, **PROFILES["dcqcn"]})
    assert [(each.knob, each.found) for each in report.failures] == [(FILE, "could not tell")]
    assert "repair it, or remove it and set the rest by hand" in report.failures[0].why
    assert here.memory() == before
    assert FILE in here.facts()["rail0"]["reason"]


def test_a_run_that_breaks_off_before_the_nic_is_written_takes_nothing_of_others_back(card_host) -> None:
    """The record names a write that never reached the NIC: what is there is as it was found."""
    here = card_host()
    path = here.host.at(FILE)
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = {"found": 0, "wrote": 2, "by": "nic_firmware_spectrum_x"}
    path.write_text(json.dumps({pci: {"TX_SCHEDULER_LOCALITY_MODE": entry} for pci in RAILS.values()}))
    before = here.memory()
    assert not here.apply(change_allowed=True, link_type="keep", mode="keep").failures
    assert here.memory() == before
    assert written(here) is None


@pytest.mark.parametrize("variable", sorted(OF_THE_PROFILE))
def test_a_setting_that_comes_to_its_own_old_value_is_nobodys(variable: str) -> None:
    want = Want("ROCE_CC_PRIO_MASK", 8, variable)
    old = {"ROCE_CC_PRIO_MASK": Written(8, 0, variable)}
    assert after_writing(old, (want,), {"ROCE_CC_PRIO_MASK": Setting(0, 0)}) == {}

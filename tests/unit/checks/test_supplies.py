"""A power supply that does not work is named with its switch; a switch that has none is skipped, never passed."""

from lab_evidence import LEAVES, seen, unlike

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.supplies import check_supplies
from nornir_tasks.platforms.observed import Supply

LEAF = LEAVES[0]
GOOD, BAD = Supply("1", works=True, state="ok"), Supply("2", works=False, state="powerLoss")


def test_a_dead_supply_is_named_though_the_other_one_carries_the_switch() -> None:
    check, (finding,) = unlike(seen(LEAF, supplies=(GOOD, BAD)))
    assert (check, finding.device, finding.found) == ("power", LEAF, "2: powerLoss")
    assert "1 of 2 work" in finding.message


def test_a_virtual_switch_is_skipped_and_one_that_shows_nothing_cannot_tell() -> None:
    for supplies, verdict in (((), Verdict.SKIPPED), (None, Verdict.ERROR)):
        (finding,) = (each for each in check_supplies(seen(LEAF, supplies=supplies)) if each.device == LEAF)
        assert finding.verdict is verdict
    assert not judge(seen(LEAF, supplies=())).failed

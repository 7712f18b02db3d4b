"""What an NX-OS switch shows of a push that is not through: dates of its own, and names of files."""

from nornir_tasks.deploy.problems import unconfirmed
from nornir_tasks.drivers.nxos_state import REPLACE_S, SAVED, before_file, files_of, is_saved, waiting

TOKEN = "gpufabric-lab-0a1b2c3d-17"
BEFORE = before_file(TOKEN, 120)


def head(now: str = "10:05:00", changed: str | None = "10:04:30") -> str:
    last = f"!Running configuration last done at: Fri May 16 {changed} 2025"
    none = "!No configuration change since last restart"
    return (
        f"\n!Command: show running-config\n{last if changed else none}\n!Time: Fri May 16 {now} 2025\n\nversion 10.4(3)"
    )


def listing(*files: tuple[str, str]) -> str:
    rows = [f"       4096    May 16 {made} 2025  {name}" for made, name in files]
    return "\n".join(["       4096    Mar 21 20:04:21 2019  .rpmstore/", *rows, "", "Usage for bootflash://sup-local"])


def test_saved_after_the_last_change_or_never_changed_is_saved_and_nothing_else_is() -> None:
    at = "!Startup config saved at: Fri May 16 {} 2025\n"
    assert is_saved(head(), at.format("10:04:31"))
    assert is_saved(head(), at.format("10:04:30"))
    assert not is_saved(head(), at.format("10:04:29"))
    assert not is_saved(head(), "")
    assert is_saved(head(changed=None), "")
    assert "startup-config" in SAVED


def test_a_commit_waits_for_its_timer_from_the_age_of_the_file_that_holds_what_ran_before() -> None:
    found = waiting(head(now="10:05:00"), listing(("10:04:20", f"{TOKEN}.cfg"), ("10:04:20", BEFORE)))
    assert found is not None
    assert (found.token, found.left_s) == (TOKEN, 120 + REPLACE_S - 40)
    assert "within 110 s, its timer of 120 s runs from the end of the commit" in unconfirmed("leaf", found).what


def test_a_commit_waits_no_more_when_its_file_is_older_than_its_timer() -> None:
    assert waiting(head(now="10:07:00"), listing(("10:04:20", BEFORE))) is None


def test_a_push_that_ended_before_its_commit_waits_for_nothing() -> None:
    """The copy was made, and nothing was changed since."""
    assert waiting(head(changed="10:04:19"), listing(("10:04:20", BEFORE))) is None
    assert waiting(head(changed=None), listing(("10:04:20", BEFORE))) is None


def test_a_candidate_alone_and_a_commit_without_a_timer_wait_for_nothing() -> None:
    assert waiting(head(), listing(("10:04:20", f"{TOKEN}.cfg"))) is None
    assert waiting(head(), listing(("10:04:20", before_file(TOKEN, None)))) is None


def test_only_the_files_of_the_named_candidates_are_found() -> None:
    other = "gpufabric-lab-0a1b2c3d-170"
    there = listing(*(("10:04:20", name) for name in (f"{TOKEN}.cfg", BEFORE, f"{other}.cfg", "startup-old.cfg")))
    assert files_of(there, frozenset({TOKEN})) == [f"{TOKEN}.cfg", BEFORE]

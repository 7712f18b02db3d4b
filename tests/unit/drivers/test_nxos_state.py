"""What an NX-OS switch shows of a push that is not through: dates of its own, and names of files."""

from nornir_tasks.deploy.problems import unconfirmed
from nornir_tasks.drivers.nxos_state import (
    REPLACE_S,
    SAVED,
    before_file,
    files_of,
    free_bytes,
    is_saved,
    uptime_s,
    waiting,
)

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


def test_a_clock_that_steps_after_the_commit_neither_ends_its_timer_nor_prolongs_it() -> None:
    """The first answer of a time server comes, hours away: the switch's uptime goes on as before."""
    there = listing(("10:04:20", before_file(TOKEN, 120, 5000.4)))
    for now in ("10:05:00", "23:59:00"):
        found = waiting(head(now=now), there, 5040)
        assert found is not None
        assert (found.token, found.left_s, found.timer_s) == (TOKEN, 120 + REPLACE_S - 40, 120)
        assert waiting(head(now=now), there, 5000 + 120 + REPLACE_S) is None
    assert waiting(head(now="10:04:00"), there, 5000 + 120 + REPLACE_S) is None, "a clock that was set back"
    assert waiting(head(), there, 70) is None, "it has restarted since: the timer is gone"
    assert files_of(there, frozenset({TOKEN})) == [before_file(TOKEN, 120, 5000.4)]


def test_uptime_and_free_room_are_read_where_a_release_says_them() -> None:
    version = {"kern_uptm_days": 1, "kern_uptm_hrs": "2", "kern_uptm_mins": 3, "kern_uptm_secs": 4}
    assert uptime_s(version) == 86400 + 7200 + 180 + 4
    assert uptime_s({}) is None
    assert free_bytes(listing() + "\n  116 bytes used\n 4096 bytes free\n 4212 bytes total\n") == 4096
    assert free_bytes("") is None


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

"""A push states who makes it and why; a site that requires a reason or ticket gets them, or no switch is asked."""

import pytest

from nornir_tasks.errors import RefusedError
from nornir_tasks.files import person
from nornir_tasks.intent.keys.policy import ChangesIntent
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.stating import stated_by

BOTH = ChangesIntent(message="required", ticket="required")


def test_what_the_site_requires_and_is_not_given_is_named_all_at_once() -> None:
    with pytest.raises(RefusedError) as refused:
        stated_by("push", Reach(message="  "), BOTH)
    assert [each.where for each in refused.value.problems] == ["push --message", "push --ticket"]
    assert "add --ticket ID" in refused.value.problems[1].hint


@pytest.mark.parametrize("message", ["a\nb", "\x1b[31mred", "x" * 501])
def test_a_reason_is_one_line_that_a_terminal_shows_as_it_is(message: str) -> None:
    with pytest.raises(RefusedError, match="one line of at most 500"):
        stated_by("rollback", Reach(message=message), None)


def test_what_is_given_is_noted_with_person_host_and_version() -> None:
    stated = stated_by("push", Reach(message=" new rail ", ticket="CHG-7"), BOTH)
    assert (stated.message, stated.ticket) == ("new rail", "CHG-7")
    assert all((stated.person, stated.known_by, stated.host, stated.version))
    assert stated_by("push", Reach(), None).message == ""


def test_who_is_behind_sudo_or_a_job_of_ci_is_named_with_how_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "SUDO_USER", *person.CI_PERSONS):
        monkeypatch.delenv(name, raising=False)
    account, known_by = person.person()
    assert account
    assert known_by == "account"
    monkeypatch.setattr("os.getuid", lambda: 0)
    monkeypatch.setenv("SUDO_USER", "anna")
    assert person.person() == ("anna", "sudo to root")
    monkeypatch.setenv("GITHUB_ACTOR", "mallory")
    assert person.person() == ("anna", "sudo to root"), "no CI: the variable is anyone's"
    monkeypatch.setenv("CI", "true")
    assert person.person() == ("mallory", "GITHUB_ACTOR of CI")

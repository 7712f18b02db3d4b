"""What is written down of a jump: the person by what the kernel says of the process, the target by what sshd says."""

import pwd
from typing import Any

import pytest

from roles.bastion.files.jumps import line_of

ROOT = str(pwd.getpwnam("root").pw_uid)
IN_PROGRESS = (
    "debug1: channels.c:connect_next():4564 (pid=1908): connect host leaf-1 ([10.183.0.12]:22) in progress, fd=3"
)


def entry(message: Any, uid: str = ROOT) -> dict[str, Any]:
    return {"MESSAGE": message, "_UID": uid}


@pytest.mark.parametrize("between", [" ", " (bin=sshd, pid=1908)"])
def test_a_jump_has_its_person_and_target(between: str) -> None:
    message = IN_PROGRESS.replace(" (pid=1908)", between)
    assert line_of(entry(message)) == "jump user=root target=10.183.0.12:22 asked=leaf-1"


def test_a_refused_one_has_its_person_what_was_asked_for_and_from_where() -> None:
    message = (
        "Received request from 2001:db8:500::7 port 44141 to connect to host 10.183.0.3 port 443, "
        "but the request was denied."
    )
    assert line_of(entry(message)) == "refused user=root target=10.183.0.3:443 client=2001:db8:500::7"


@pytest.mark.parametrize(
    "message", [IN_PROGRESS.replace("in progress", "was refused"), "Accepted publickey", None, [255]]
)
def test_nothing_else_is_a_jump(message: Any) -> None:
    assert line_of(entry(message)) is None


def test_a_person_whose_account_is_gone_is_told_by_number() -> None:
    assert line_of(entry(IN_PROGRESS, uid="4000000000")) == (
        "jump user=number-4000000000 target=10.183.0.12:22 asked=leaf-1"
    )


def test_the_line_that_says_where_a_name_led_is_told_once() -> None:
    """sshd writes two lines for each address that it tries; the second one says that it goes there."""
    before = "debug1: channels.c:connect_next():4541 (pid=1908): start for host leaf-1 ([10.183.0.12]:22)"
    assert [line_of(entry(each)) is not None for each in (before, IN_PROGRESS)] == [False, True]

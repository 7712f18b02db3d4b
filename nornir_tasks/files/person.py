"""Who runs this command, and how that is known: nothing is taken on trust that the machine knows better."""

import os
import pwd
import re
import socket

MOST_CHARACTERS = 20
CI_PERSONS = ("GITLAB_USER_LOGIN", "GITHUB_ACTOR", "BUILD_USER_ID")
"""Variables in which a CI service names who started a job: GitLab's and GitHub's predefined variables, and Jenkins'
plug-in build-user-vars."""


def person() -> tuple[str, str]:
    """The person, and how it is known."""
    if os.environ.get("CI"):
        for name in CI_PERSONS:
            if value := os.environ.get(name):
                return value, f"{name} of CI"
    try:
        account = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        account = str(os.getuid())
    behind = os.environ.get("SUDO_USER")
    if os.getuid() == 0 and behind and behind != account:
        return behind, f"sudo to {account}"
    return account, "account"


def host() -> str:
    """The name of this machine."""
    return socket.gethostname()


def short_name() -> str:
    """The person without spaces and in at most 20 characters, which every switch can keep in a name of its own."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", person()[0])[:MOST_CHARACTERS] or "unknown"

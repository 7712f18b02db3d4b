"""Who works here: the account of this machine, and the one that it was before ``sudo``."""

import getpass
import os
import re

MOST_CHARACTERS = 20
UNKNOWN = "unknown"


def person() -> str:
    """A name without spaces, of at most 20 characters, which every switch can keep."""
    try:
        name = os.environ.get("SUDO_USER") or getpass.getuser()
    except (OSError, KeyError):  # no account of this number
        name = UNKNOWN
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[:MOST_CHARACTERS] or UNKNOWN

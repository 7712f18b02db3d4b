"""Programs of this machine that we start: where they are looked for, and with what environment they run."""

import os
import shutil

SYSTEM_FOLDERS = ("/usr/sbin", "/sbin", "/usr/local/sbin")
"""What administrators run is there (nft, ip, sysctl). On Debian a normal user's PATH has none of them."""


def search_path() -> str:
    """The folders of PATH, then those of system programs that it lacks."""
    own = [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if each]
    return os.pathsep.join(dict.fromkeys((*own, *SYSTEM_FOLDERS)))


def find(program: str) -> str | None:
    """The file of a program, or None where this machine has none of that name."""
    return shutil.which(program, path=search_path())


def environment(**more: str) -> dict[str, str]:
    """Ours, for a program that we start: it finds what we find, and so does all that it starts."""
    return {**os.environ, "PATH": search_path(), **more}

"""Rules as the kernel lists them: loaded into a network namespace of their own, which ends with the command."""

import json
import os
import subprocess
from typing import Any

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs

NEEDED = {"nft": "nftables", "unshare": "util-linux"}
"""Program -> its Debian or Ubuntu package."""
_LOADED = "nft -f - && nft -j list ruleset"
_LEAVE_OUT = "; all else is proved by: nornir prove --without boundary"


def check_requirements(where: str = "boundary") -> None:
    """Try it with no rules at all. Raises LabError, in one line, with what this machine lacks or does not let us do."""
    listed("", where)


def listed(rules: str, where: str) -> dict[str, Any]:
    """What ``nft -j list ruleset`` prints after ``nft -f`` of these rules; nothing of this machine is changed.

    Raises LabError where this machine has no nft or lets this user have no namespace, and for rules that nft refuses.
    """
    _check_programs(where)
    own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(  # noqa: S603 - a list of words; rules are its input
        ["unshare", *own, "--net", "--", "sh", "-c", _LOADED],  # noqa: S607 - by PATH, as the operator has it
        input=rules,
        capture_output=True,
        text=True,
        check=False,
        env=programs.environment(),
    )
    if done.returncode:
        found = done.stderr.strip().splitlines()
        what = "rules cannot be loaded into a network namespace"
        hint = "as root, or where users may have namespaces (kernel.apparmor_restrict_unprivileged_userns)"
        found_here = found[0] if found else f"exit code {done.returncode}"
        raise LabError(Problem(where, what, found=found_here, hint=hint + _LEAVE_OUT))
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def _check_programs(where: str) -> None:
    missing = {program: package for program, package in NEEDED.items() if programs.find(program) is None}
    if missing:
        what = f"{' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} not installed here"
        looked = f"no {', no '.join(missing)} in {programs.search_path()}"
        hint = f"sudo apt-get install -y {' '.join(missing.values())}{_LEAVE_OUT}"
        raise LabError(Problem(where, what, found=looked, hint=hint))

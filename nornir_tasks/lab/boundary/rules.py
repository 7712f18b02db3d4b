"""Rules as the kernel lists them: loaded into a network namespace of their own, which ends with the command."""

import json
import os
import shutil
import subprocess
from typing import Any

from nornir_tasks.errors import LabError, Problem

_LOADED = "nft -f - && nft -j list ruleset"


def listed(rules: str, where: str) -> dict[str, Any]:
    """What ``nft -j list ruleset`` prints after ``nft -f`` of these rules; nothing of this machine is changed.

    Raises LabError where this machine has no nft or lets this user have no namespace, and for rules that nft refuses.
    """
    for program, package in (("nft", "nftables"), ("unshare", "util-linux")):
        if shutil.which(program) is None:
            raise LabError(Problem(where, f"{program} is not installed here", hint=f"apt-get install {package}"))
    own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(  # noqa: S603 - a list of words; rules are its input
        ["unshare", *own, "--net", "--", "sh", "-c", _LOADED],  # noqa: S607 - by PATH, as the operator has it
        input=rules,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        found = done.stderr.strip().splitlines()
        what = "rules cannot be loaded into a network namespace"
        hint = "as root, or where users may have namespaces (kernel.apparmor_restrict_unprivileged_userns)"
        raise LabError(Problem(where, what, found=found[0] if found else f"exit code {done.returncode}", hint=hint))
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded

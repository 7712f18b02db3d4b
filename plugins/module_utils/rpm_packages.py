"""Packages of a host with rpm, and which of them dnf locks.

Of a name with locks dnf offers no version but those of the locks, so an upgrade leaves what is installed
(rpm-software-management/dnf-plugins-core doc/versionlock.rst, plugins/versionlock.py at 36772002fdca). A line is a
pattern, ``nvidia-driver-3:580.95.05-1.el9.*`` or shorter; one with ``!`` before it excludes a version and holds none.

Standard library only (it runs on hosts, Python 3.9).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

RPM = "usr/bin/rpm"
LOCKS = "etc/dnf/plugins/versionlock.list"
QUERY = "%{NAME}\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\t%{ARCH}\n"
ANSWERS_WITHIN_S = 60.0


def read(root: Path) -> dict[str, tuple[str, bool]]:
    """Every installed package: name -> version, and whether dnf locks it; empty where there is no rpm that answers."""
    if not (root / RPM).exists():
        return {}
    try:
        done = subprocess.run(  # noqa: S603  (rpm's own path)
            [str(root / RPM), "-qa", "--qf", QUERY],
            capture_output=True,
            text=True,
            timeout=ANSWERS_WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    lines = (root / LOCKS).read_text(encoding="utf-8").splitlines() if (root / LOCKS).is_file() else []
    return packages(done.stdout, lines)


def packages(output: str, locks: Iterable[str]) -> dict[str, tuple[str, bool]]:
    """What rpm printed by QUERY, with the lines of the list of locks."""
    patterns = [line.strip() for line in locks if line.strip() and line.strip()[0] not in "#!"]
    found: dict[str, tuple[str, bool]] = {}
    for line in output.splitlines():
        words = line.split("\t")
        if len(words) != 3:
            continue
        name, version, arch = words
        without_epoch = version.partition(":")[2]
        forms = [f"{name}-{each}{end}" for each in (version, without_epoch) for end in ("", f".{arch}")]
        forms += [f"{name}-{each.rpartition('-')[0]}" for each in (version, without_epoch)]
        is_locked = any(fnmatchcase(form, pattern) for form in (*forms, name, f"{name}.{arch}") for pattern in patterns)
        found[name] = (version, is_locked or found.get(name, ("", False))[1])
    return found

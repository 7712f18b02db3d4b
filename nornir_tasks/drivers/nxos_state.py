"""The state of unfinished pushes on an NX-OS switch: unsaved, unconfirmed, leftovers. Pure.

NX-OS has no published answer to "does a commit timer run" (that ``show config-replace status`` exists is published, its
words are not). So each push leaves a copy of the previous configuration on bootflash, with the timer and the switch's
uptime in the file's name. The uptime gives its age: a clock may step, as at its first answer from a time server.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from nornir_tasks.drivers.session import MARK, Waiting

SAVED = 'show startup-config | include "!Startup config saved at:"'
"""Compared with ``!Running configuration last done at:`` (netbox_config_backup, check_config_save_status, platform
nxos_ssh: document 5995216002)."""
FILES = "dir bootflash:"

REPLACE_S = 30
"""The timer starts at the end of the replace, the file's age at its start: this is added."""

_DATE = r"(\w{3} +\d+ \d\d:\d\d:\d\d \d{4})"
_FILE = re.compile(rf"^\s*\d+\s+{_DATE}\s+({re.escape(MARK)}\S+)\s*$", re.MULTILINE)
"""One line of ``dir`` (ntc-templates 9.3.0, cisco_nxos_dir)."""
_CHANGED = "Running configuration last done at"
_SUFFIX = re.compile(r"(?:-before(?:-(\d+)s(?:-up(\d+))?)?)?\.cfg$")
_FREE = re.compile(r"^\s*(\d+) bytes free", re.MULTILINE)
_UPTIME = {"kern_uptm_days": 86400, "kern_uptm_hrs": 3600, "kern_uptm_mins": 60, "kern_uptm_secs": 1}
"""Fields of ``show version`` (NAPALM 5.2.0's recorded answers), and the seconds of each unit."""


def uptime_s(version: Mapping[str, Any]) -> float | None:
    """Seconds since the switch started, from ``show version``; None where a release does not say."""
    try:
        return float(sum(int(version[name]) * unit_s for name, unit_s in _UPTIME.items()))
    except (KeyError, TypeError, ValueError):
        return None


def free_bytes(listing: str) -> int | None:
    """What is free on bootflash, from the end of ``dir`` (ntc-templates 9.3.0, cisco_nxos_dir)."""
    found = _FREE.search(listing)
    return int(found[1]) if found else None


def before_file(token: str, confirm_within_s: int | None, up_s: float | None = None) -> str:
    """Name of the file that holds what ran before a commit. ``up_s``: the switch's uptime then."""
    if confirm_within_s is None:
        return f"{token}-before.cfg"
    up = "" if up_s is None else f"-up{int(up_s)}"
    return f"{token}-before-{confirm_within_s}s{up}.cfg"


def files_of(listing: str, tokens: frozenset[str]) -> list[str]:
    """The files on bootflash that belong to these candidates."""
    return [name for _, name in _FILE.findall(listing) if _token(name) in tokens]


def is_saved(running: str, saved_at: str) -> bool:
    """Was the startup configuration written after the last change? Without a change since the start it is what runs."""
    changed, saved = _dated(_CHANGED, running), _dated("Startup config saved at", saved_at)
    return changed is None or (saved is not None and changed <= saved)


def waiting(running: str, listing: str, up_s: float | None = None) -> Waiting | None:
    """The commit whose timer may still run, by the age of its file. ``up_s``: the switch's uptime now.

    None where nothing was changed since the file was made: the push ended before its commit. Where either uptime is
    not known, the switch's clock gives the age.
    """
    now, changed = _dated("Time", running), _dated(_CHANGED, running)
    left_s, timers_s = dict[str, float](), dict[str, int]()
    for date, name in _FILE.findall(listing):
        made, suffix = _time(date), _SUFFIX.search(name)
        if not (suffix and suffix[1] and now and changed and changed >= made):
            continue
        age_s = (now - made).total_seconds()
        if up_s is not None and suffix[2]:
            age_s = up_s - int(suffix[2])
            if age_s < 0:  # it has restarted since, and no timer outlives that
                continue
        timers_s[_token(name)] = int(suffix[1])
        left_s[_token(name)] = int(suffix[1]) + REPLACE_S - age_s
    token = max(left_s, key=lambda each: left_s[each], default="")
    return Waiting(token, left_s[token], timers_s[token]) if token and left_s[token] > 0 else None


def _token(name: str) -> str:
    return _SUFFIX.sub("", name)


def _dated(what: str, text: str) -> datetime | None:
    """The time in a configuration's head: ``!Time: Fri May 16 09:03:25 2025``."""
    found = re.search(rf"^!{what}: +\w+ {_DATE}", text, re.MULTILINE)
    return _time(found[1]) if found else None


def _time(text: str) -> datetime:
    return datetime.strptime(" ".join(text.split()), "%b %d %H:%M:%S %Y")  # noqa: DTZ007 - one clock, without a zone

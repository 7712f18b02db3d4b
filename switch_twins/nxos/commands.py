"""Exec commands that act: copy, checkpoint, rollback, configure replace, files. Show commands are in ``shows``.

Wording of a rollback and of its patch: published sessions and napalm 5.2.0 nxos, which parses it. Wording of copy:
NX-OS 9.3(1), document 53215664192.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Callable

from ..engine import ConfigSession, LineError, Tree
from .patch import patch
from .replace import MAX_TIMEOUT_S, MIN_TIMEOUT_S
from .reply import Reply, View
from .store import FileError

_COPIED = f"[{'#' * 40}] 100%\nCopy complete, now saving to disk (please wait)...\nCopy complete.\n"
_ROLLED_BACK = (
    "Collecting Running-Config\nGenerating Rollback Patch\nExecuting Rollback Patch\n"
    "Generating Running-config for verification\nGenerating Patch for verification\nVerification is Successful.\n\n"
    "Rollback completed successfully.\n"
)
_TOTAL_BYTES = 115343360000
Action = Callable[[View, re.Match[str], str], Reply]


def refused(text: str) -> Reply:
    """A failed command, with the switch's message."""
    return Reply(text if text.endswith("\n") else f"{text}\n", is_refused=True)


def invalid(column: int = 0, text: str = "% Invalid command at '^' marker.") -> Reply:
    """A command that does not exist."""
    return refused(f"{' ' * column}^\n{text}")


# -- copying and files ---------------------------------------------------------------------------------------------


def save(view: View, _: re.Match[str], __: str) -> Reply:
    """Copy running-config startup-config."""
    view.store.save()
    return Reply(_COPIED)


def reload(view: View, _: re.Match[str], __: str) -> Reply:
    """Reload: the switch boots with its startup configuration. It is up at once, without a confirmation prompt."""
    view.replace.forget()
    view.store.boot()
    return Reply("This command will reboot the system.\n")


def copy_running(view: View, found: re.Match[str], _: str) -> Reply:
    """Copy running-config bootflash:X."""
    view.store.write(found[1], view.store.running_output("show running-config"))
    return Reply(_COPIED)


def copy_file(view: View, found: re.Match[str], _: str) -> Reply:
    """Copy bootflash:X bootflash:Y."""
    view.store.write(found[2], view.store.read(found[1]))
    return Reply(_COPIED)


def merge_file(view: View, found: re.Match[str], _: str) -> Reply:
    """Copy bootflash:X running-config: every line typed in turn, refused ones printed and skipped."""
    rows = [row for row in view.store.read(found[1]).splitlines() if not row.startswith("version ")]
    session = ConfigSession(view.store.running, view.store.context)
    errors = session.feed_all(rows)
    view.store.committed()
    text = "".join(f"{rows[number - 1]}\n{view.store.running.dialect.error_text(error)}\n" for number, error in errors)
    return Reply(text + _COPIED)


def delete(view: View, found: re.Match[str], _: str) -> Reply:
    """Delete X [no-prompt]."""
    view.store.delete(found[1])
    return Reply()


def directory(view: View, found: re.Match[str], _: str) -> Reply:
    """Dir [X]."""
    name = (found[1] or "").strip()
    files = sorted(view.store.bootflash.iterdir())
    if name and name not in ("bootflash:", "bootflash:/", "bootflash:///"):
        files = [path for path in files if path == view.store.path(name)]
        if not files:
            return refused(f"No such file or directory: {name}")
    used = sum(path.stat().st_size for path in view.store.bootflash.iterdir())
    lines = [f"{path.stat().st_size:>12}    {_modified(path.stat().st_mtime)}  {path.name}" for path in files]
    lines += [
        "",
        "Usage for bootflash://sup-local",
        f"{used:>12} bytes used",
        f"{_TOTAL_BYTES - used:>12} bytes free",
        f"{_TOTAL_BYTES:>12} bytes total",
    ]
    return Reply(
        "\n".join(lines) + "\n",
        {
            "usage": "bootflash:",
            "bytesused": str(used),
            "bytesfree": str(_TOTAL_BYTES - used),
            "bytestotal": str(_TOTAL_BYTES),
        },
    )


def _modified(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%b %d %H:%M:%S %Y")


def show_file(view: View, found: re.Match[str], _: str) -> Reply:
    """Show file X [md5sum|sha256sum]."""
    text = view.store.read(found[1])
    if found[2]:
        digest = hashlib.md5 if found[2] == "md5sum" else hashlib.sha256
        return Reply(digest(text.encode(), usedforsecurity=False).hexdigest() + "\n")
    return Reply(text)


# -- checkpoints and rollback --------------------------------------------------------------------------------------


def checkpoint(view: View, found: re.Match[str], _: str) -> Reply:
    """Checkpoint [NAME]."""
    name = found[1] or f"user-checkpoint-{len(view.store.checkpoints) + 1}"
    view.store.checkpoints[name] = view.store.running.copy()
    created = "" if found[1] else f"{name} created Successfully\n"
    return Reply(f"{created}Done\n")


def checkpoint_file(view: View, found: re.Match[str], _: str) -> Reply:
    """Checkpoint file X."""
    view.store.write(found[1], view.store.checkpoint_text())
    return Reply("Done\n")


def no_checkpoint(view: View, found: re.Match[str], _: str) -> Reply:
    """No checkpoint NAME."""
    if view.store.checkpoints.pop(found[1], None) is None:
        return refused(f"ERROR: checkpoint {found[1]} does not exist")
    return Reply()


def rollback(view: View, found: re.Match[str], _: str) -> Reply:
    """Rollback running-config {file X | checkpoint NAME}: all or nothing (atomic)."""
    try:
        target, errors = _source(view, found[1])
    except FileError as error:
        return refused(f"{error}\nRollback failed.")
    if errors:
        rows = "".join(f"`{row.strip()}`\n{view.store.running.dialect.error_text(error)}\n" for row, error in errors)
        return refused(f"Executing Rollback Patch\n{rows}Rollback failed.")
    if patch(view.store.running, target):
        view.store.replace(target)
    return Reply(_ROLLED_BACK)


def diff(view: View, found: re.Match[str], _: str) -> Reply:
    """Show diff rollback-patch A B, each of them running-config, startup-config, checkpoint NAME or file X."""
    first, first_errors = _source(view, found[1])
    second, second_errors = _source(view, found[2])
    if first_errors or second_errors:
        row, error = (first_errors + second_errors)[0]
        return refused(f"{row.strip()}\n{view.store.running.dialect.error_text(error)}")
    lines = patch(first, second)
    text = "\n".join(["!!", *lines]) if lines else "Rollback Patch is Empty"
    return Reply(f"Collecting Running-Config\n#Generating Rollback Patch\n{text}\n")


def _source(view: View, words: str) -> tuple[Tree, list[tuple[str, LineError]]]:
    kind, _, name = words.partition(" ")
    if kind == "running-config":
        return view.store.running, []
    if kind == "startup-config":
        return view.store.tree_of(view.store.startup)
    if kind == "checkpoint":
        if name not in view.store.checkpoints:
            raise FileError(f"ERROR: checkpoint {name} does not exist")
        return view.store.checkpoints[name].copy(), []
    return view.store.tree_of(view.store.read(name))


def show_checkpoints(view: View, _: re.Match[str], __: str) -> Reply:
    """Show checkpoint summary."""
    names = sorted(view.store.checkpoints)
    return Reply(
        "User Checkpoint Summary\n"
        + "-" * 80
        + "\n"
        + "".join(f"{number}) {name}:\n" for number, name in enumerate(names, start=1))
    )


# -- configure replace ---------------------------------------------------------------------------------------------


def configure_replace(view: View, found: re.Match[str], user: str) -> Reply:
    """Configure replace FILE [verify-only] [commit-timeout S] [verbose]."""
    words = found[2].split()
    timeout_s: int | None = None
    if "commit-timeout" in words:
        at = words.index("commit-timeout")
        value = words[at + 1] if at + 1 < len(words) else ""
        if not value.isdigit() or not MIN_TIMEOUT_S <= int(value) <= MAX_TIMEOUT_S:
            column = found.start(2) + found[2].find("commit-timeout") + len("commit-timeout ")
            text = f"% Invalid number, range is ({MIN_TIMEOUT_S}:{MAX_TIMEOUT_S}) at '^' marker."
            return invalid(column, text if value else "% Incomplete command at '^' marker.")
        timeout_s = int(value)
        del words[at : at + 2]
    if any(word not in ("verify-only", "verbose", "non-interruptive") for word in words):
        return invalid(found.start(2))
    text = view.replace.run(found[1], user, verify_only="verify-only" in words, timeout_s=timeout_s)
    failed = ("completed successfully" not in text) and ("validation completed successful" not in text)
    return Reply(f"{text}\n", is_refused=failed)


def replace_commit(view: View, _: re.Match[str], __: str) -> Reply:
    """Configure replace commit."""
    text = view.replace.commit()
    return Reply(f"{text}\n", is_refused=text.startswith("ERROR"))


def replace_log(view: View, found: re.Match[str], _: str) -> Reply:
    """Show config-replace log exec|verify."""
    return Reply(view.replace.log(found[1]))


def replace_status(view: View, _: re.Match[str], __: str) -> Reply:
    """Show config-replace status."""
    return Reply(view.replace.status() + "\n")


def nothing(_: View, __: re.Match[str], ___: str) -> Reply:
    """Terminal settings without effect here."""
    return Reply()


_WHERE = r"(running-config|startup-config|(?:checkpoint|file) \S+)"
ACTIONS: tuple[tuple[re.Pattern[str], Action], ...] = tuple(
    (re.compile(pattern), action)
    for pattern, action in (
        (r"copy run(?:ning-config)? start(?:up-config)?", save),
        (r"reload", reload),
        (r"copy running-config (bootflash:\S+)", copy_running),
        (r"copy (bootflash:\S+) running-config", merge_file),
        (r"copy (bootflash:\S+) (bootflash:\S+)", copy_file),
        (r"delete (\S+)(?: no-prompt)?", delete),
        (r"dir(?: (\S+))?", directory),
        (r"show file (\S+)(?: (md5sum|sha256sum))?", show_file),
        (r"checkpoint file (\S+)", checkpoint_file),
        (r"checkpoint(?: (\S+))?(?: description .+)?", checkpoint),
        (r"no checkpoint (\S+)", no_checkpoint),
        (r"show checkpoint(?: summary)?", show_checkpoints),
        (r"rollback running-config ((?:checkpoint|file) \S+)(?: (?:atomic|verbose))*", rollback),
        (rf"show diff rollback-patch {_WHERE} {_WHERE}", diff),
        (r"configure replace commit", replace_commit),
        (r"configure replace (\S+)((?: \S+)*)", configure_replace),
        (r"show config-replace log (exec|verify)", replace_log),
        (r"show config-replace status", replace_status),
        (r"(?:no )?terminal (?:dont-ask|length \d+|width \d+|monitor|session-timeout \d+)", nothing),
        (r"clear (?:counters|queuing|lldp|bgp|ip bgp).*", nothing),
    )
)

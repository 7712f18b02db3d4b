"""What the last run of a verb over the whole site found, for ``nornir report``: a JSON file each in the state folder.

Only its owner may read them. They repeat what the verb prints, which has placeholders where secrets stand.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nornir_tasks.errors import LocalError, Problem, words_of
from nornir_tasks.files.documents import unfinished
from nornir_tasks.files.site import INTENT, Site

FORM = 1
"""Of what stands in the files; what another version wrote in another form counts as nothing."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """One run."""

    at: datetime
    """When it ended, UTC."""
    is_of_this_intent: bool
    """The intent's file has not changed since."""
    found: Mapping[str, Any]
    """As the verb handed it over."""


def keep(site: Site, verb: str, found: Mapping[str, Any]) -> LastRun:
    """Keep what a verb found just now, in place of what it found before. Raises LocalError if it cannot be written."""
    path, at = _path(site, verb), datetime.now(UTC)
    document = {"form": FORM, "at": at.isoformat(timespec="seconds"), "intent": _intent(site), "found": found}
    try:
        made = unfinished(path, json.dumps(document))
        made.chmod(0o600)
        made.replace(path)
    except OSError as error:
        what = f"what {verb} found cannot be kept for 'nornir report': {words_of(error)}"
        raise LocalError(Problem(str(path), what, hint="make room, or set GPUFABRIC_STATE")) from error
    return LastRun(at, is_of_this_intent=True, found=found)


def last_run(site: Site, verb: str) -> LastRun | None:
    """The last run of a verb; None: there was none. Raises LocalError for a file that cannot be read."""
    path = _path(site, verb)
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        if read["form"] != FORM:
            return None
        return LastRun(datetime.fromisoformat(read["at"]), read["intent"] == _intent(site), dict(read["found"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        hint = f"remove it, and run 'nornir {verb}' again"
        raise LocalError(Problem(str(path), f"cannot be read: {words_of(error)}", hint=hint)) from error


def _path(site: Site, verb: str) -> Path:
    return site.record_directory / f"last_{verb}.json"


def _intent(site: Site) -> str:
    return hashlib.sha256((site.directory / INTENT).read_bytes()).hexdigest()

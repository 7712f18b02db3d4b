"""``inventory/<site>/fabric.yml`` -> Intent, every problem with its line, all at once."""

from pathlib import Path

from nornir_tasks.design.model.faults import guarded
from nornir_tasks.errors import IntentError
from nornir_tasks.files.marked_yaml import Marked, marked_text, read_marked
from nornir_tasks.files.model_errors import Reading, judge
from nornir_tasks.intent.keys.site import Intent


def load_intent(file: Path) -> Intent:
    """The intent of one file; it knows its lines. Raises IntentError."""
    return _whole(read_intent(file))


def intent_of_text(text: str, name: str) -> Intent:
    """The same of a text that is in no file yet. ``name``: how messages call it."""
    return _whole(_judged(marked_text(text, name)))


def _whole(reading: Reading[Intent]) -> Intent:
    if reading.value is None:
        raise IntentError(reading.problems)
    return reading.value


@guarded
def read_intent(file: Path) -> Reading[Intent]:
    """The intent of one file, or its problems with as much of it as they leave. Raises IntentError if there is none."""
    return _judged(read_marked(file))


def _judged(marked: Marked) -> Reading[Intent]:
    reading = judge(Intent, marked)
    whole, known = (each and each.with_marks(marked.marks) for each in (reading.value, reading.partial))
    return Reading(whole, known, reading.problems)

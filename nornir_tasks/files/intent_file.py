"""``inventory/<site>/fabric.yml`` -> Intent, every problem with its line, all at once."""

from pathlib import Path

from nornir_tasks.design.model.faults import guarded
from nornir_tasks.errors import IntentError
from nornir_tasks.files.marked_yaml import read_marked
from nornir_tasks.files.model_errors import Reading, judge
from nornir_tasks.intent.keys.site import Intent


def load_intent(file: Path) -> Intent:
    """The intent of one file; it knows its lines. Raises IntentError."""
    reading = read_intent(file)
    if reading.value is None:
        raise IntentError(reading.problems)
    return reading.value


@guarded
def read_intent(file: Path) -> Reading[Intent]:
    """The intent of one file, or its problems with as much of it as they leave. Raises IntentError if there is none."""
    marked = read_marked(file)
    reading = judge(Intent, marked)
    whole, known = (each and each.with_marks(marked.marks) for each in (reading.value, reading.partial))
    return Reading(whole, known, reading.problems)

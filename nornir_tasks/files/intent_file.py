"""``inventory/<site>/fabric.yml`` -> Intent, every problem with its line, all at once."""

from pathlib import Path

from nornir_tasks.files.marked_yaml import read_marked, validate
from nornir_tasks.intent.model import Intent


def load_intent(file: Path) -> Intent:
    """The intent of one file; it knows its lines. Raises IntentError."""
    marked = read_marked(file)
    return validate(Intent, marked).with_marks(marked.marks)

"""What a push or rollback states in the journal: who makes it, and why."""

from dataclasses import replace

from nornir_tasks import __version__
from nornir_tasks.deploy.planned import Planned
from nornir_tasks.deploy.record import Stated
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.files.person import host, person
from nornir_tasks.intent.keys.policy import ChangesIntent
from nornir_tasks.usecases.reach import Reach

MOST_CHARACTERS = 500
"""Of a reason or a ticket: a line, not a document."""


def stated_by(verb: str, reach: Reach, required: ChangesIntent | None, planned: Planned | None = None) -> Stated:
    """What is noted of it. Raises RefusedError for what the site requires and was not given."""
    given = {"message": reach.message.strip(), "ticket": reach.ticket.strip()}
    problems = [each for name, text in given.items() if (each := _wrong(verb, name, text, required)) is not None]
    if problems:
        raise RefusedError(problems)
    name, known_by = person()
    made = Stated(name, known_by, host(), __version__, given["message"], given["ticket"])
    return made if planned is None else replace(made, plan=planned.hash, approved_by=", ".join(planned.approved_by))


def _wrong(verb: str, name: str, text: str, required: ChangesIntent | None) -> Problem | None:
    where = f"{verb} --{name}"
    if not text and required is not None and getattr(required, name) == "required":
        what = f"this site wants a {name} with each change, and none was given"
        hint = f"add --{name} {'TEXT' if name == 'message' else 'ID'}"
        return Problem(where, what, f"policy.changes.{name}: required", "nothing", hint)
    if len(text) > MOST_CHARACTERS or not text.isprintable():
        what = f"a {name} is one line of at most {MOST_CHARACTERS} characters"
        found = f"{len(text)} characters" if text.isprintable() else "a line break or another control character"
        return Problem(where, what, found=found, hint="give a short reason, and put the rest in the ticket")
    return None

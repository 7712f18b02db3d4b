"""The end of a command: each error of ours with its message and exit code, never a traceback."""

import errno
import sys

from nornir_tasks.cli.commands import WORDS
from nornir_tasks.cli.streams import Stream, guard
from nornir_tasks.errors import GpufabricError, LocalError, Problem

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NOT_OURS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def run() -> int:
    """Run the command line; returns the exit code."""
    output = guard()
    return _ended(output, _run(output))


def _run(output: Stream) -> int:
    """The exit code, apart from output that could not be printed."""
    from nornir_tasks.cli.app import app

    try:
        app()
    except SystemExit as end:  # how Typer ends, always
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except GpufabricError as error:
        return _failed(error, output)
    except OSError as error:
        if (problem := local_problem(error)) is None:
            raise
        return _failed(LocalError(problem), output)
    except Exception as error:
        from nornir_tasks.design.model.faults import fault

        if (problem := fault(error)) is None:
            raise
        return _failed(GpufabricError(problem), output)
    return 0


def local_problem(error: OSError) -> Problem | None:
    """The problem of this machine; None if the error is not about its disk or file permissions."""
    where = str(error.filename) if error.filename else "this machine"
    what = error.strerror or str(error)
    if error.errno in NO_ROOM:
        return Problem(where, what, hint="make room there, or set GPUFABRIC_STATE to a folder on another disk")
    if error.errno in NOT_OURS and error.filename:
        return Problem(where, what, hint="give it back to its owner, or set GPUFABRIC_STATE to a folder of yours")
    return None


def _failed(error: GpufabricError, output: Stream) -> int:
    """Print every problem; with --json also as a document, unless the verb has printed its own."""
    from nornir_tasks.cli.console import error_as_json, print_error, print_json

    print_error(error)
    sys.stdout.flush()
    if "--json" in WORDS.get() and not output.is_used:
        print_json("error", error_as_json(error))
    return error.exit_code


def _ended(output: Stream, code: int) -> int:
    """The exit code, once all is printed that can be."""
    sys.stdout.flush()
    if output.error is None or not output.is_lost:
        return code
    from nornir_tasks.cli.console import print_error

    hint = "what the verb did is done, what it printed is incomplete; make room, or print elsewhere"
    lost = LocalError(Problem("standard output", f"cannot be written: {output.error.strerror}", hint=hint))
    print_error(lost)
    return code or lost.exit_code

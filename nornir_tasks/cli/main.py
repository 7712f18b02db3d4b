"""``nornir``: one verb a file. Only the verb that runs is imported; the libraries that talk to switches later still."""

import gc
import sys
from typing import Annotated

import typer

from nornir_tasks import __version__
from nornir_tasks.cli import design, lab, plan, push, render, rollback, trust, validate
from nornir_tasks.cli.console import err, print_error
from nornir_tasks.errors import GpufabricError

EXIT_CODES = """Exit codes: 0 done; 1 a fault of gpufabric; 2 wrong command line; 3 wrong intent; 4 cannot be built;
5 template; 6 a switch did not answer as it must; 7 refused; 8 the network is not as asked; 9 could not tell;
10 the lab; 130 declined or interrupted."""

GC_THRESHOLD = 200_000
"""Objects made between two looks for cycles. Fabrics and configurations are large, and trees: Python's own 700 costs a
third of `render`'s time and frees nothing."""

app = typer.Typer(
    name="nornir",
    help="Bring up the network of a GPU cluster from one intent file.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help, in half the time
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("design")(design.design)
app.command("render")(render.render)
app.command("plan")(plan.plan)
app.command("push")(push.push)
app.command("validate")(validate.validate)
app.command("rollback")(rollback.rollback)
app.command("trust")(trust.trust)
app.add_typer(lab.app, name="lab")


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False) -> None:
    """Bring up the network of a GPU cluster from one intent file."""
    if version:
        typer.echo(f"gpufabric {__version__}")
        raise typer.Exit


def main() -> None:
    """The console script. Every error of ours ends in its message and its exit code, never in a traceback."""
    gc.set_threshold(GC_THRESHOLD)
    try:
        app()
    except GpufabricError as error:
        print_error(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        err.print("interrupted")
        sys.exit(130)

"""The command line: one verb per file. Only the verb that runs is imported, libraries for switches later."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from nornir_tasks import __version__
from nornir_tasks.cli import (
    approve,
    audit,
    counters,
    day0,
    design,
    drain,
    explain_code,
    export,
    history,
    init,
    lab,
    plan,
    prove,
    push,
    pushes,
    render,
    report,
    rollback,
    schema,
    trust,
    validate,
)
from nornir_tasks.cli.commands import WORDS, completing
from nornir_tasks.errors import CommandLineError, Interrupted, Problem

EXIT_CODES = """Exit codes: 0 done; 1 a fault of gpufabric; 2 wrong command line; 3 wrong intent; 4 cannot be built;
5 template; 6 a switch did not answer as it must; 7 refused; 8 the network is not as asked; 9 could not tell;
10 the lab; 11 this machine (disk full, a file that may not be written); 12 plan --detailed-exitcode: a push would do
something; 130 declined or interrupted."""


@contextmanager
def interruptions() -> Iterator[None]:
    """Typer ends silently on Ctrl-C, and with 1 at the end of input at a question; here both are Interrupted."""
    try:
        yield
    except (KeyboardInterrupt, EOFError, typer.Abort) as error:
        raise Interrupted(Problem("nornir", "interrupted")) from error


UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__bases__[0])
"""A wrong command line; Typer gives it no public name."""


@contextmanager
def wrong_words() -> Iterator[None]:
    """Typer prints what is wrong of a command line on stderr; with --json it is a document on stdout, too."""
    try:
        yield
    except UsageError as error:
        if "--json" in WORDS.get():
            from nornir_tasks.cli.console import error_as_json, print_json

            print_json("error", error_as_json(CommandLineError(Problem("command line", error.format_message()))))
        raise


class Verbs(TyperGroup):
    """All verbs: how their options are parsed, and how one of them runs."""

    def make_context(self, info_name: Any, args: Any, *words: Any, **more: Any) -> Any:  # noqa: ANN401 - Typer keeps its types to itself
        WORDS.set(tuple(args))
        with interruptions(), wrong_words():
            return super().make_context(info_name, args, *words, **more)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        with interruptions(), completing(), wrong_words():
            return super().invoke(ctx)


app = typer.Typer(
    name="nornir",
    cls=Verbs,
    help="Bring up the network of a GPU cluster from one intent file.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help, in half the time
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init.init)
app.command("design")(design.design)
app.command("render")(render.render)
app.command("prove")(prove.prove)
app.command("plan")(plan.plan)
app.command("approve")(approve.approve)
app.command("push")(push.push)
app.command("validate")(validate.validate)
app.command("counters")(counters.counters)
app.command("report")(report.report)
app.command("drain")(drain.drain)
app.command("undrain")(drain.undrain)
app.command("rollback")(rollback.rollback)
app.command("pushes")(pushes.pushes)
app.command("history")(history.history)
app.command("trust")(trust.trust)
app.command("schema")(schema.schema)
app.command("explain")(explain_code.explain)
app.add_typer(audit.app, name="audit")
app.add_typer(day0.app, name="day0")
app.add_typer(export.app, name="export")
app.add_typer(lab.app, name="lab")


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False) -> None:
    """Bring up the network of a GPU cluster from one intent file."""
    if version:
        from nornir_tasks.files.checkout import commit

        typer.echo(" ".join(filter(None, (f"gpufabric {__version__}", commit()))))
        raise typer.Exit

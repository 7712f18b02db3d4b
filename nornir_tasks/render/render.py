"""DeviceConfig and templates in, text out. Pure: the environment that finds the templates is handed in."""

from typing import Any

import jinja2

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.errors import Problem, RenderError


def render(
    config: DeviceConfig,
    facts: Capabilities,
    environment: jinja2.Environment,
    allow_memory: frozenset[str] = frozenset(),
) -> str:
    """The text of one device's owned configuration: CLI lines for EOS and NX-OS, YAML for NVUE.

    ``allow_memory`` names the line shapes known only from memory that the intent allows; none is printed otherwise.
    """
    context: dict[str, Any] = {"config": config, "facts": facts, "allow_memory": allow_memory}
    try:
        return environment.get_template("main.j2").render(context)
    except jinja2.TemplateError as error:
        problem = Problem(
            where=_where(error),
            what=f"template for {config.name} ({config.os}) failed: {error}",
            hint="a field that this OS cannot hold must be None after realise, and the template must not ask for it",
        )
        raise RenderError(problem) from error


def memory_lines(facts: Capabilities, allow_memory: frozenset[str]) -> tuple[str, ...]:
    """Line shapes that this device may carry though they are known only from memory; ``nornir render`` lists them."""
    return tuple(line for name, line in sorted(facts.memory_only.items()) if name in allow_memory)


def _where(error: jinja2.TemplateError) -> str:
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f"{error.filename or error.name}:{error.lineno}"
    trace = error.__traceback__
    where = "templates"
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith(".j2"):
            where = f"{name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return where

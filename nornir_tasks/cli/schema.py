"""``nornir schema NAME``: the JSON Schema of fabric.yml, of devices.yml, and of each document that --json prints."""

import json as json_module
import sys
from typing import Annotated

import typer

from nornir_tasks.cli import options


def schema(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="fabric, devices, or a JSON document; without it: all names.")
    ] = "",
    json: options.Json = False,
) -> None:
    """Print a JSON Schema (2020-12): of fabric.yml and devices.yml for editors, of what --json prints for programs.

    A schema is printed as it is, with or without --json. No site is needed.
    """
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.json_documents import DOCUMENTS, schema_of
    from nornir_tasks.files.yaml_schemas import FILES, schema_of_file

    if name in FILES or name in DOCUMENTS:
        made = schema_of_file(name) if name in FILES else schema_of(name)
        sys.stdout.write(f"{json_module.dumps(made, indent=2)}\n")
    elif name:
        raise typer.BadParameter(f"no such schema; one of {', '.join((*FILES, *DOCUMENTS))}", param_hint=name)
    elif json:
        print_json("schemas", {"files": list(FILES), "documents": list(DOCUMENTS)})
    else:
        out.print(f"files: {', '.join(FILES)}\ndocuments: {', '.join(DOCUMENTS)}")

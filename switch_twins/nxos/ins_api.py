"""NX-API's older message, ``ins_api``, as cisco.nxos of Ansible sends it.

Shapes: vendor documentation "NX-API CLI"; what cisco.nxos reads of an answer (plugins/httpapi/nxos.py at 154aa54): a
list of outputs, or one as itself, each with ``code``, ``input`` and ``msg``, then ``body``, or ``clierror`` of what was
refused. The first refused line of a configuration ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .cli import Cli
from .reply import Reply

_SHOWS_DATA, _SHOWS_TEXT, _CONFIGURES = "cli_show", "cli_show_ascii", "cli_conf"
KINDS = (_SHOWS_DATA, _SHOWS_TEXT, _CONFIGURES)
_REFUSED, _UNSUPPORTED, _FAILED = "400", "501", "500"
Answer = dict[str, Any]


def is_message(message: object) -> bool:
    """Is this such a message, and no array of JSON-RPC calls?"""
    return isinstance(message, dict) and isinstance(message.get("ins_api"), dict)


def answer(message: dict[str, Any], open_cli: Callable[[bool], Cli]) -> Answer:
    """The whole answer. ``open_cli`` begins a session, in configuration mode or not."""
    call = message["ins_api"]
    kind, version = str(call.get("type")), str(call.get("version", "1.0"))
    head = {"type": kind, "version": version, "sid": "eoc"}
    if kind not in KINDS:
        return {"ins_api": {**head, "outputs": {"output": _error("", "Invalid request", _REFUSED, "")}}}
    cli = open_cli(kind == _CONFIGURES)
    outputs = []
    for part in str(call.get("input", "")).split(" ;"):
        outputs.append(_output(kind, part.strip(), cli.run(part)))
        if kind == _CONFIGURES and outputs[-1]["code"] != "200":
            break
    cli.finish()
    return {"ins_api": {**head, "outputs": {"output": outputs[0] if len(outputs) == 1 else outputs}}}


def failed(words: str) -> Answer:
    """The whole answer where none could be made (M)."""
    return {"ins_api": {"outputs": {"output": _error("", "Backend processing error", _FAILED, words)}}}


def _output(kind: str, command: str, reply: Reply) -> Answer:
    if reply.is_refused:
        return _error(command, "CLI execution error", _REFUSED, reply.text)
    if kind == _SHOWS_DATA and reply.body is None:
        return _error(command, "Structured output unsupported", _UNSUPPORTED, "")
    body: Any = reply.body if kind == _SHOWS_DATA else reply.text
    if kind == _CONFIGURES:
        body = reply.text or {}
    return {"input": command, "msg": "Success", "code": "200", "body": body}


def _error(command: str, message: str, code: str, text: str) -> Answer:
    return {"input": command, "msg": message, "code": code, "clierror": text}

"""``nornir explain CODE``: what an error, a common problem, a check or a proof means, and what to do."""

from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.cli.explanations import Explanation


def explain(
    code: Annotated[
        str, typer.Argument(metavar="CODE|TEXT", help="A code, or the text of a message in quotes; without it: all.")
    ] = "",
    json: options.Json = False,
) -> None:
    """Say what an error, a check or a proof means, its usual causes, and what to do. No site is needed."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.explanations import everything

    every = everything()
    found = _named(code, every) if code else every
    if json:
        print_json("explain", {"explanations": [_as_json(each) for each in found]})
    elif code:
        out.print("\n\n".join("\n".join(_lines(each)) for each in found))
    else:
        for kind in dict.fromkeys(each.kind for each in every):
            out.print(f"{kind}: {', '.join(each.code for each in every if each.kind == kind)}")


def _named(text: str, every: "tuple[Explanation, ...]") -> "tuple[Explanation, ...]":
    from difflib import get_close_matches

    from nornir_tasks.cli.explanations import classes, code_of
    from nornir_tasks.errors import IntentError, Problem

    known = {kind.__name__: code for code, kind in classes().items()}
    code = known.get(text, text)
    if found := tuple(each for each in every if each.code == code):
        return found
    if of_text := code_of(Problem("", text)):
        return tuple(each for each in every if each.code == of_text)
    close = get_close_matches(text, [each.code for each in every])
    hint = f"did you mean {' or '.join(dict.fromkeys(close))}?" if close else "nornir explain lists all codes"
    raise IntentError(Problem("explain", "no such code, and no message that is known", found=text, hint=hint))


def _lines(each: "Explanation") -> list[str]:
    ends = "" if each.exit_code is None else f", exit code {each.exit_code}"
    lines = [f"{each.code} ({each.kind}{ends})", f"  {each.means}"]
    lines += [f"  {title}: {text}" for title, text in each.rows]
    for title, texts in (("usual causes", each.causes), ("what to do", each.do)):
        if texts:
            lines += [f"  {title}:", *(f"    - {text}" for text in texts)]
    return lines


def _as_json(each: "Explanation") -> dict[str, object]:
    return {
        "code": each.code,
        "kind": each.kind,
        "exit_code": each.exit_code,
        "means": each.means,
        "causes": list(each.causes),
        "do": list(each.do),
        "more": dict(each.rows),
    }

"""``nornir validate --list``: every check, what it reads, which systems show that, and its results per site."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nornir_tasks.checks.about import About


def print_checks(counts: Mapping[str, int] | None) -> None:
    """All checks as one table; with ``counts`` (check -> things of a site) each with its number, then their sum."""
    from nornir_tasks.checks.counters.suite import ABOUT as RULES
    from nornir_tasks.checks.suite import ABOUT
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.tables import named_table

    table = named_table("check", "", "")
    for about in ABOUT:
        rows = [*about.rows, ("systems", systems(about))]
        if counts is not None:
            rows.append(("on this site", str(counts[about.name])))
        for number, (what, text) in enumerate(rows):
            table.add_row("" if number else about.name, what, text, end_section=number == len(rows) - 1)
        table.add_row("", "", "")
    out.print(table)
    out.print("A switch that could not be read: nothing on it can be determined, and all of them are counted.")
    out.print(f"With --soak: {', '.join(each.name for each in RULES)} (docs/checks.md).")
    if counts is not None:
        out.print(f"tested N of {sum(counts.values())}")


def systems(about: "About") -> str:
    """The systems that show it: ``eos, nvue, nxos``; and what one never shows."""
    from nornir_tasks.checks.suite import not_shown

    missing = not_shown(about)
    whole = [name for name, fields in missing.items() if not fields]
    parts = [f"{name} does not show {', '.join(fields)}" for name, fields in missing.items() if fields]
    return "; ".join([", ".join(whole), *parts] if whole else parts)


def checks_as_json(counts: Mapping[str, int] | None) -> dict[str, Any]:
    """The same as one document."""
    from nornir_tasks.checks.suite import ABOUT, not_shown

    return {
        "checks": [
            {
                "check": about.name,
                "each": about.each,
                "uncounted": about.uncounted,
                "reads": about.reads,
                "configuration": about.configuration,
                "wanted": about.wanted,
                "passes": about.passes,
                "fails": about.fails,
                "could_not_tell": about.cannot_tell,
                "skipped": about.skipped,
                "not_shown": not_shown(about),
                **({"of": counts[about.name]} if counts is not None else {}),
            }
            for about in ABOUT
        ],
        **({"of": sum(counts.values())} if counts is not None else {}),
    }

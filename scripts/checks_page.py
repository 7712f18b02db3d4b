"""docs/checks.md: every check with its expected results, made from what the checks say of themselves.

python scripts/checks_page.py            compare; ends with 1 where the page is another one
python scripts/checks_page.py --write    write the page again
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from made_page import compare_or_write

from nornir_tasks.checks import suite
from nornir_tasks.checks.about import About
from nornir_tasks.checks.counters import suite as counters
from nornir_tasks.checks.hosts import boundary_suite, host_suite
from nornir_tasks.cli.check_list import systems

PAGE = Path(__file__).parents[1] / "docs" / "checks.md"

HEAD = """\
# Checks

Made by `.venv/bin/python scripts/checks_page.py --write` from what each check says of itself in `nornir_tasks/checks/`;
`make check` compares. `nornir validate --list` prints the first part, with `--site NAME` how much of each that site
has as well; no switch is asked.

| verdict | meaning |
|---|---|
| passed | it was looked at, and is as wanted |
| failed | it was looked at, and is otherwise: `nornir validate` ends with 8 |
| could not tell | it could not be looked at, which never counts as passed: `nornir validate` ends with 9 |
| skipped | there is nothing to judge, and it is said why; it counts neither way |

"tested N of M": of M expected results, N passed or failed. M of switches follows from the design alone, whatever
state they are in. Results of a switch or host fact that could not be read are "could not tell", and count in M.
With `--plane` M is what that plane, its fabric and the switch own. In a lab hosts are played to the
switches, and it is said how many of N rest on them ("116 of them with played hosts"): results of `port`, `lacp`,
`partners`, `macs`, `trunks` and `stp` at ports that lead to hosts, and at groups of these.
"""
SWITCHES = """
## Switches: `nornir validate`

In the order in which they are reported, the cause before its effects. `ports.mtu_bytes` and the like are fields of
`nornir_tasks/platforms/observed.py`, what is expected are fields of the parts in
`nornir_tasks/design/config/`.
"""
COUNTERS = """
## Counters: `nornir validate --soak 60s`

What switches and hosts counted between two readings ([soak](howto/soak.md)), in the order in which it hurts. Names of
counters are those of `nornir_tasks/platforms/counted.py`. A rule whose counters a system does not show is skipped
there, with the reason; `lossless-drops` could not tell then.
"""
HOSTS = """
## Hosts: the role `host_validate`

What is read are facts of the modules in `plugins/modules/`, what is expected are variables of the roles.
"""

BOUNDARY = """
## Hosts of the boundary: the same role

Firewalls and the like have these instead. Texts that they are compared with are made again from the roles' templates.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, SWITCHES, *(_section(each, systems(each)) for each in suite.ABOUT)]
    parts += [COUNTERS, *(_section(each) for each in counters.ABOUT)]
    parts += [HOSTS, *(_section(check.about) for check in host_suite.CHECKS)]
    parts += [BOUNDARY, *(_section(check.about) for check in boundary_suite.CHECKS)]
    return "".join(parts)


def _section(about: About, shown_by: str = "") -> str:
    rows = (*about.rows, *((("systems", shown_by),) if shown_by else ()))
    return f"\n### `{about.name}`\n\n| | |\n|---|---|\n" + "".join(_lines(rows))


def _lines(rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for what, text in rows:
        yield f"| {what} | {text.replace('|', chr(92) + '|')} |\n"


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "as the checks say"))

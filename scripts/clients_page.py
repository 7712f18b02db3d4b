"""docs/clients.md: which tests of clients that we did not write run against the lab's switches.

python scripts/clients_page.py            compare; ends with 1 where the page is another one
python scripts/clients_page.py --write    write the page again

What runs is shown by tests/clients/: a test that is in frozen.yml and not in not_yet.yml passes there, and fails while
its fault is there; one that is in not_yet.yml does not pass there.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import yaml
from made_page import compare_or_write

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "clients.md"
TESTS = ROOT / "tests" / "clients"
CLIENTS = {  # by its name in frozen.yml: its title, and the file of its tests
    "anta": ("ANTA, Arista's network test automation", "test_anta.py"),
    "arista.eos": ("Ansible, collection `arista.eos`, over eAPI", "test_arista_eos.py"),
    "cisco.nxos": ("Ansible, collection `cisco.nxos`, over NX-API", "test_cisco_nxos.py"),
    "napalm.eos": ("NAPALM, driver `eos`", "test_napalm_eos.py"),
    "napalm.nxos": ("NAPALM, driver `nxos`", "test_napalm_nxos.py"),
    "napalm.nxos_ssh": ("NAPALM, driver `nxos_ssh`", "test_napalm_nxos_ssh.py"),
    "netmiko.arista_eos": ("Netmiko, `arista_eos`", "test_eos_ssh.py"),
    "netmiko.cisco_nxos": ("Netmiko, `cisco_nxos`", "test_nxos_ssh.py"),
    "scrapli.arista_eos": ("scrapli, `arista_eos`", "test_eos_ssh.py"),
    "scrapli.cisco_nxos": ("scrapli, `cisco_nxos`", "test_nxos_ssh.py"),
    "ntc_templates.arista_eos": ("ntc-templates of `arista_eos`, over SSH", "test_eos_texts.py"),
    "ntc_templates.cisco_nxos": ("ntc-templates of `cisco_nxos`, over SSH", "test_nxos_templates.py"),
    "nvue.paths": ("NVUE's REST interface: live paths", "test_nvue.py"),
    "nvue.calls": ("NVUE's REST interface: calls", "test_nvue_calls.py"),
}
HEAD = """\
# Clients that run against the lab's switches

Made by `.venv/bin/python scripts/clients_page.py --write` from `tests/clients/frozen.yml` and `not_yet.yml`; `make
check` compares. The clients are unmodified, in the versions that `pyproject.toml` pins; TLS certificates and host keys
are verified. A test that runs does so against the switches of the built-in lab as they are after a push: it passes,
fails or says otherwise while one fault is there, and passes again. The list was fixed before the work on it.
"""


def _names(part: object, before: str = "") -> Iterator[str]:
    """The names of a client's tests: of nested parts with the part before a space."""
    if isinstance(part, dict):
        for name, below in part.items():
            yield from _names(below, f"{before}{name} ")
    elif isinstance(part, list):
        yield from (before + name for name in part)


def page() -> str:
    """The page's text."""
    frozen = yaml.safe_load((TESTS / "frozen.yml").read_text(encoding="utf-8"))
    not_yet = yaml.safe_load((TESTS / "not_yet.yml").read_text(encoding="utf-8")) or {}
    rows, parts, of, runs = [], [], 0, 0
    for client, (title, file) in CLIENTS.items():
        names, open_ = list(_names(frozen[client])), not_yet.get(client, {})
        if not (TESTS / file).exists():
            open_ = dict.fromkeys(names, "not tried yet")
        of, runs = of + len(names), runs + sum(_short(name, open_) is None for name in names)
        rows.append(f"| {title} | {sum(_short(name, open_) is None for name in names)} | {len(names)} |")
        parts += [f"\n## {title}\n", _runs(names, open_)]
        if open_:
            parts += ["\nDo not run:\n", *(f"- `{name}`: {reason}" for name, reason in open_.items())]
    total = f"| in all, {100 * runs / of:.1f} % | {runs} | {of} |"
    table = ["\n| client | runs | of |", "|---|---|---|", *rows, total]
    return HEAD + "\n".join([*table, *parts, ""])


def _runs(names: list[str], open_: dict[str, str]) -> str:
    return ", ".join(f"`{name}`" for name in names if _short(name, open_) is None) or "None yet."


def _short(name: str, open_: dict[str, str]) -> str | None:
    """Why a test does not run, None if it does; not_yet.yml names it with or without its part."""
    return open_.get(name, open_.get(name.rsplit(" ", 1)[-1]))


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "made from tests/clients"))

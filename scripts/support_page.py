"""docs/support.md: releases, switches and NICs, made from the capabilities and the catalogue.

python scripts/support_page.py            compare; ends with 1 where the page is another one
python scripts/support_page.py --write    write the page again
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from made_page import compare_or_write

from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.catalogue import NicModel, SwitchModel
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms

PAGE = Path(__file__).parents[1] / "docs" / "support.md"
SYSTEMS = {"eos": "Arista EOS", "nvue": "NVIDIA Cumulus Linux (NVUE)", "nxos": "Cisco NX-OS, Nexus 9000"}

HEAD = """\
# What is supported

Made by `.venv/bin/python scripts/support_page.py --write` from `nornir_tasks/platforms/<os>/capabilities.py` and
`catalogue/`; `make check` compares. Nothing of it was tried on a physical switch or NIC.

## Releases

Any release of a train is taken, written as the vendor writes it. *Seen* is where public sources show lines that we
render at this train, *not seen* what none shows and what stands in: `nornir design` says it of each release of a site.
*Differs* is what is rendered otherwise than for the train before. Short names of sources are explained in the system's
`capabilities.py`.
"""
SWITCHES = """
## Switches

Ports are cages, by their fastest mode. A model without capabilities is known by its ports alone, and refused in a
fabric of ours: its ASIC is not among those whose limits have a source.

| model | systems | ports | capabilities |
|---|---|---|---|
"""
NICS = """
## NICs

The roles bring up NICs whose RDMA they know. Switches can be designed for others; their hosts are refused by name.

| model | modes of a cage | RDMA of the roles |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    systems = [(SYSTEMS[os], each.facts) for os, each in sorted(platforms().items())]
    catalogue = load_catalogue()
    parts = [HEAD, *(line for name, facts in systems for line in _trains(name, facts)), SWITCHES]
    parts += [_switch(each, [facts for _, facts in systems]) for _, each in sorted(catalogue.switches.items())]
    return "".join([*parts, NICS, *(_nic(each) for _, each in sorted(catalogue.nics.items()))])


def _trains(name: str, facts: OsFacts) -> Iterator[str]:
    yield f"\n### {name}: {facts.taken_in_words}\n\n| train | differs | seen | not seen |\n|---|---|---|---|\n"
    for train in facts.trains:
        first = train is facts.trains[0]
        yield f"| {train.name} | {train.differs or ('' if first else 'nothing')} | {train.seen} | {train.assumed} |\n"


def _switch(model: SwitchModel, systems: list[OsFacts]) -> str:
    known = [facts.os for facts in systems if facts.os in model.os and _has_record(facts, model.asic_under(facts.os))]
    ports = ", ".join(f"{group.count} {group.cage} of {group.max_gbps}G" for group in model.ports)
    return f"| {model.model} | {', '.join(model.os)} | {ports} | {'yes' if known else 'no'} |\n"


def _has_record(facts: OsFacts, asic: str) -> bool:
    try:
        facts.capabilities(facts.releases[0], asic)
    except KeyError:
        return False
    return True


def _nic(model: NicModel) -> str:
    return f"| {model.model} | {', '.join(map(str, model.modes))} | {model.rdma_provider or 'none: refused'} |\n"


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "the capabilities and the catalogue"))

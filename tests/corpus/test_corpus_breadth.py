"""Most lines of a corpus are ones our templates never print: what was collected was not collected to please them."""

import re

import pytest
from corpus_reader import CORPUS, read_corpus

from nornir_tasks.design.model.device_config import SECTIONS
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.files.templates import environment
from nornir_tasks.render.render import render
from nornir_tasks.usecases.site import load


def shape(line: str) -> str:
    """A line with numbers, addresses and given names left out."""
    words = line.split()
    return " ".join("*" if re.search(r"\d|[A-Z]", word) else word for word in words)


def printed(system: str) -> set[str]:
    """Shapes of all lines our templates print for the lab site, in service and drained."""
    network = load("lab-rails").network
    names = [device.name for device in network.devices]
    shapes: set[str] = set()
    for drained in ((), names):
        for each in device_configs(network, drained=drained):
            if each.config.os == system:
                text = render(each.config, each.capabilities, environment(system))
                shapes |= {shape(line) for line in text.splitlines()}
    return shapes


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_at_least_half_of_the_accepted_lines_are_none_we_print(system: str, figure) -> None:
    ours = printed(system)
    lines = [line for line in read_corpus(CORPUS / system / "accept.txt") if line.section in SECTIONS]
    foreign = [line for line in lines if shape(line.text) not in ours]
    figure(f"{system}: {len(foreign)} of {len(lines)} accepted lines of our sections are of a shape we never print")
    assert len(foreign) * 2 >= len(lines)

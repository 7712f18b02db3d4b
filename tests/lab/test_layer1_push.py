"""Layer 1 pushed through our own transaction: plain ports, then split cages and shut ports, then whole ports again."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from described_lab import LabDescription, RunningLab
from one_push import transaction

from nornir_tasks.deploy.outcome import Outcome
from nornir_tasks.deploy.plan_one_switch import Rules
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.claims import Claims
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.drivers import open_session
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Parsed
from tests.pushed import done, evidence
from tests.unit.platforms import eos_examples, nvue_examples, nxos_examples


def whole_again(config: DeviceConfig, *cages: str) -> DeviceConfig:
    """The plain switch with the cages that it does not use kept shut, whole."""
    used = {port.name for port in config.interfaces}
    shut = [Interface(name, None, None, None, enabled=False, qos_profile=None) for name in cages if name not in used]
    facts = platform(config.os).facts
    return in_order(replace(config, interfaces=(*config.interfaces, *shut)), facts.sort_key)


Site = tuple[DeviceConfig, DeviceConfig, DeviceConfig, Callable[[DeviceConfig], Claims]]
SITES: dict[str, Site] = {
    "eos": (
        eos_examples.leaf(),
        eos_examples.split_leaf(),
        whole_again(eos_examples.leaf(), "Ethernet33/1", "Ethernet34/1"),
        eos_examples.claims,
    ),
    "nxos": (
        nxos_examples.leaf(2, 0),
        nxos_examples.split_leaf(),
        whole_again(nxos_examples.leaf(2, 0), *(f"Ethernet1/{cage}" for cage in range(1, 33))),
        nxos_examples.claims,
    ),
    **{
        f"nvue {release}": (
            nvue_examples.leaf(release),
            nvue_examples.split_leaf(release),
            whole_again(nvue_examples.leaf(release), *(f"swp{cage}" for cage in range(1, 65))),
            nvue_examples.claims_of,
        )
        for release in ("5.14", "5.16")
    },
}
KINDS = tuple(SITES)


def device_of(kind: str) -> str:
    return f"leaf-{kind.replace(' ', '-').replace('.', '-')}"


def stage_of(kind: str, number: int) -> Wanted:
    site = SITES[kind]
    config = replace(site[number], name=device_of(kind))  # type: ignore[type-var]
    facts = platform(config.os).facts.capabilities(config.release, config.asic)
    return wanted(config, facts, site[3](config), environment(config.os))


@pytest.fixture(scope="module")
def lab(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("layer1") / "lab")
    for kind, (config, *_) in SITES.items():
        release = {"5.14": "5.14.0", "5.16": "5.16.1"}.get(config.release, config.release)
        assert config.bgp is not None
        description.add_device(device_of(kind), config.os, release=release, asn=config.bgp.asn)
    return start_module_lab(description)


def push(lab: RunningLab, kind: str, number: int, earlier: tuple[int, ...]) -> Outcome:
    """``earlier``: the stages that were pushed before, which show what is ours."""
    endpoint = lab.endpoint(device_of(kind))
    goal = stage_of(kind, number)
    stages = [ConfigTree(), *(stage_of(kind, each).tree for each in earlier)]
    standing = (done(goal, before, after) for before, after in pairwise(stages))
    rules = Rules(confirm_within_s=60, settle_s=1.0, evidence=evidence(*standing))
    outcome = transaction(lambda: open_session(goal.config.os, endpoint), goal, rules).run()
    with_answer = open_session(goal.config.os, endpoint)
    try:
        text = with_answer.read().text
    finally:
        with_answer.close()
    os = goal.platform
    parts = split(os.to_tree(text), os.ownership, goal.claims)
    owned = join(part for owner, part in parts.items() if owner in goal.owners)
    assert os.parse(owned, goal.capabilities, goal.device, goal.config.model) == Parsed(goal.config, ConfigTree())
    return outcome


@pytest.mark.parametrize("kind", KINDS)
def test_split_cages_and_shut_ports_are_pushed_read_back_and_taken_apart_again(lab: RunningLab, kind: str) -> None:
    earlier: tuple[int, ...] = ()
    for number in (0, 1, 2, 1):
        first = push(lab, kind, number, earlier)
        assert first.changed
        earlier += (number,)
        second = push(lab, kind, number, earlier)
        assert (second.changed, second.saved) == (False, False)

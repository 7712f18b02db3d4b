"""The second law on the wire: one switch of each shape that the sites of inventory/ have, under each system.

Each is a switch of its own in one lab without cables; it is pushed by the transaction that `nornir push` uses.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from described_lab import LabDescription, RunningLab
from one_push import transaction

from nornir_tasks.deploy.fleet import Fleet, Target
from nornir_tasks.deploy.plan import sides
from nornir_tasks.deploy.plan_one_switch import Rules
from nornir_tasks.deploy.tasks import Job
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.session import Endpoint, SwitchSession
from nornir_tasks.files.templates import environment
from tests.reference import SITES, SYSTEMS, one_of_each_shape, reference, shape


def shapes(site: str, system: str) -> Iterator[tuple[Network, Realised]]:
    """One switch of each shape; of the large sites, whose shapes are their tiers (test_reference_laws.py), by tier."""
    network = reference(site, system)
    if len(network.devices) < 20:
        yield from ((network, each) for each in one_of_each_shape(network))
        return
    for device in {device.role: device for device in reversed(network.devices)}.values():
        yield network, device_config(network, device)


def of_all_sites() -> Iterator[tuple[str, Network, Realised]]:
    """(name in the lab, fabric, switch), each shape once."""
    seen = set()
    for site, system in product(SITES, SYSTEMS):
        for network, each in shapes(site, system):
            key = (each.config.os, each.config.release, shape(each.config))
            if key not in seen:
                seen.add(key)
                yield f"{site}-{system}-{each.config.name}".replace(".", "-"), network, each


@pytest.fixture(scope="module")
def switches(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> tuple[RunningLab, dict[str, Wanted]]:
    description = LabDescription(tmp_path_factory.mktemp("reference") / "lab")
    rendered = {}
    for name, network, each in of_all_sites():
        config = each.config
        assert config.bgp is not None
        device = network.device(config.name)
        groups, port = network.models[device.model].ports, network.facts[config.os].port_name
        description.add_device(
            name,
            config.os,
            release=config.release,
            model=config.model,
            asic=config.asic,
            asn=config.bgp.asn,
            ports=[port(number, 0, 1, group.lanes) for group in groups for number in group.numbers],
        )
        rendered[name] = wanted(config, each.capabilities, each.claims, environment(config.os))
    return start_module_lab(description), rendered


def push(each: Wanted, endpoint: Endpoint) -> bool:
    """One transaction; whether it changed the switch."""

    def session() -> SwitchSession:
        return open_session(each.config.os, endpoint)

    return transaction(session, each).run().changed


def running(each: Wanted, endpoint: Endpoint) -> str:
    session = open_session(each.config.os, endpoint)
    try:
        return session.read().text
    finally:
        session.close()


@pytest.mark.long
def test_what_each_prints_after_the_push_reads_back_whole_and_is_not_pushed_again(
    switches: tuple[RunningLab, dict[str, Wanted]], figure: Callable[[str], None]
) -> None:
    lab, rendered = switches
    for name, each in rendered.items():
        endpoint = lab.endpoint(name, timeout_s=30.0)
        assert push(each, endpoint), name
        owned = sides(each, each.platform.to_tree(running(each, endpoint))).owned
        parsed = each.platform.parse(owned, each.capabilities, each.config.name, each.config.model)
        assert parsed.remainder.paths() == frozenset(), name
        assert parsed.config == each.config, name
        assert not push(each, endpoint), name
    figure(f"{len(rendered)} switches, one of each shape of {len(SITES)} sites under {len(SYSTEMS)} systems")


def test_no_switch_stays_connected_after_its_visit(switches: tuple[RunningLab, dict[str, Wanted]]) -> None:
    lab, rendered = switches
    targets = {
        name: Target(Job(each.declared, partial(rendered.__getitem__, name), Rules()), lab.endpoint(name))
        for name, each in rendered.items()
    }
    before = connections()
    fleet = Fleet(targets, workers=4)
    assert fleet.plan(lambda _: None).errors == {}
    assert connections() <= before
    fleet.close()


def connections() -> int:
    """TCP connections of this process: libraries open other sockets when they are loaded (pyeapi for syslog)."""
    numbers = {line.split()[9] for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]}
    links = map(_target, Path("/proc/self/fd").iterdir())
    return sum(
        link.removeprefix("socket:[").removesuffix("]") in numbers for link in links if link.startswith("socket:")
    )


def _target(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except OSError:
        return ""  # closed meanwhile

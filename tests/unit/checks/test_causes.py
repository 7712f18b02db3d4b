"""One cause, one finding: what leads, what follows, and that nothing is hidden which no shown cause explains."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random

import pytest
from simulated import SMALL, Network, site_design

from nornir_tasks.checks.causes.root_causes import MOST_PORTS, Cause, causes
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import Report, judge
from nornir_tasks.design.config.routing_policy import RoutingPolicy
from nornir_tasks.platforms.observed import Observed

Break = Callable[[Network], None]


@dataclass(frozen=True)
class Fault:
    """Something done to a network."""

    name: str
    where: frozenset[str]
    """The switches it is done to; faults without one in common are independent."""
    do: Break = field(compare=False)


def one_port(device: str, **changes: object) -> Break:
    return lambda network: network.port(device, fabric_port(network, device), **changes)


def fabric_port(network: Network, device: str, place: int = 0) -> str:
    """A port with a switch at its other end."""
    links = [each for each in network.design.network.links_of(device) if each.kind == "fabric"]
    return links[place].end(device).port


def switches(site: str) -> list[str]:
    """The first switch of each tier."""
    devices = site_design(site).network.devices
    return [next(each.name for each in devices if each.role == tier) for tier in dict.fromkeys(d.role for d in devices)]


def last_switches(site: str) -> list[str]:
    devices = site_design(site).network.devices
    return [[each.name for each in devices if each.role == tier][-1] for tier in dict.fromkeys(d.role for d in devices)]


def neighbor(network: Network, device: str) -> str:
    return network.bgp_of(device).neighbors[0].peer


def link_of(site: str, device: str) -> frozenset[str]:
    """Both ends of the link that faults of one port are about."""
    network = Network(site)
    far = network.design.network.far_end(device, fabric_port(network, device))
    assert far is not None
    return frozenset({device, far.device})


OF_LINK = ("shut port", "MTU", "address", "wrong remote AS", "no neighbour", "session down", "a port's MTU")


def of_switch(site: str, device: str) -> Iterator[Fault]:
    """Faults in the configuration of one switch."""
    kinds: dict[str, Break] = {
        "shut port": one_port(device, enabled=False),
        "MTU": one_port(device, mtu_bytes=1500),
        "address": one_port(device, address="192.0.2.0/31"),
        "wrong ASN": lambda n: n.bgp(device, asn=65009),
        "wrong remote AS": lambda n: n.neighbor(device, neighbor(n, device), remote_as=65010),
        "no neighbour": lambda n: n.neighbor(device, neighbor(n, device)),
        "prefix not announced": lambda n: n.bgp(device, networks=n.bgp_of(device).networks[1:]),
        "one path": lambda n: n.bgp(device, maximum_paths=1),
        "session down": lambda n: n.barred.add((device, neighbor(n, device))),
        "accepts nothing": lambda n: n.config(device, routing_policy=denying(n, device)),
    }
    if "unnumbered" in site:
        del kinds["address"]
    for name, do in kinds.items():
        where = link_of(site, device) if name in OF_LINK else frozenset({device})
        yield Fault(f"{name} on {device}", where, do)


def denying(network: Network, device: str) -> RoutingPolicy:
    """The policy with its first prefix list denying all."""
    policy = network.running[device].routing_policy
    first, *others = policy.prefix_lists
    rules = tuple(replace(rule, permit=False) for rule in first.rules)
    return replace(policy, prefix_lists=(replace(first, rules=rules), *others))


def shown(site: str, device: str) -> Iterator[Fault]:
    """A switch does what it is not configured to."""
    port = fabric_port(Network(site), device)

    def fewer_paths(observed: Observed) -> Observed:
        if not observed.routes:
            return observed
        (prefix, width), *others = observed.routes
        return replace(observed, routes=((prefix, width + 1), *others))

    def pfc_off(observed: Observed) -> Observed:
        return replace(observed, qos=tuple(replace(each, pfc_priorities=()) for each in observed.qos))

    def other_mtu(observed: Observed) -> Observed:
        ports = (replace(each, mtu_bytes=1400) if each.name == port else each for each in observed.ports)
        return replace(observed, ports=tuple(ports))

    for name, change in {
        "one path too many": fewer_paths,
        "PFC off on all ports": pfc_off,
        "a port's MTU": other_mtu,
    }.items():
        where = link_of(site, device) if name in OF_LINK else frozenset({device})
        yield Fault(f"{name} on {device}", where, lambda n, c=change: n.shows(device, c))


def cut(network: Network, link: str) -> None:
    network.cut.add(link)


def of_cables(site: str) -> Iterator[Fault]:
    network = Network(site)
    first, last = network.links()[0], network.links()[-1]
    for link in (first, last):
        ends = frozenset(device for device, _ in network.ends(link))
        yield Fault(f"cable {link} cut", ends, lambda n, x=link: cut(n, x))
    ends = frozenset(device for link in (first, last) for device, _ in network.ends(link))
    yield Fault(f"cables {first} and {last} swapped", ends, lambda n: n.swap(first, last))


def of_answers(device: str) -> Iterator[Fault]:
    yield Fault(f"{device} does not answer", frozenset({device}), lambda n: n.silence(device, dead=False))
    yield Fault(f"{device} is dead", frozenset({device}), lambda n: n.silence(device, dead=True))


def hangs(site: str) -> Iterator[Fault]:
    """A switch of each tier hangs. In a list of their own, so that faults drawn at random stay those they were."""
    for device in switches(site):
        yield Fault(f"{device} hangs", frozenset({device}), lambda n, x=device: n.hang(x))


@cache
def faults(site: str, *, everywhere: bool = False) -> tuple[Fault, ...]:
    """Faults at the first switch of each tier; ``everywhere``: at the last one as well."""
    found = [*of_cables(site)]
    for device in dict.fromkeys([*switches(site), *(last_switches(site) if everywhere else ())]):
        found += [*of_switch(site, device), *shown(site, device), *of_answers(device)]
    return tuple(found)


@dataclass(frozen=True)
class Alone:
    """What is found of a site with one fault."""

    leading: tuple[str, ...]
    trouble: frozenset[str]


_ALONE: dict[tuple[str, Fault], Alone] = {}
"""By site and fault: the same ones are needed by several tests, and each costs a whole fabric."""


def broken(site: str, *done: Fault) -> Report:
    network = Network(site)
    for each in done:
        each.do(network)
    report = network.judge()
    if len(done) == 1:
        _ALONE[site, done[0]] = Alone(tuple(each.lead.id for each in report.causes), frozenset(ids(report)))
    return report


def alone(site: str, fault: Fault) -> Alone:
    if (site, fault) not in _ALONE:
        broken(site, fault)
    return _ALONE[site, fault]


def trouble(report: Report) -> tuple[Finding, ...]:
    return (*report.failed, *report.undecided)


def ids(report: Report) -> set[str]:
    return {each.id for each in trouble(report)}


ALL = [(site, fault) for site in SMALL for fault in (*faults(site), *hangs(site))]
EACH = pytest.mark.parametrize(("site", "fault"), ALL, ids=[f"{site}: {fault.name}" for site, fault in ALL])


@pytest.mark.sampled(120)
@EACH
def test_one_fault_is_one_leading_finding_all_else_follows_and_m_stays(site: str, fault: Fault) -> None:
    report = broken(site, fault)
    (cause,) = report.causes
    assert cause.lead.device in fault.where
    assert sorted(map(id, (cause.lead, *cause.follows))) == sorted(map(id, trouble(report)))
    assert_same_m(report, clean_report(site))
    names = [each.id for each in report.findings]
    assert len(names) == len(set(names)), "every finding has a name of its own"


def assert_same_m(report: Report, clean: Report) -> None:
    """M of "tested N of M" counts the same things whatever is broken; of the lines of a switch the first."""
    assert report.total == clean.total
    assert {each.id for each in clean.findings if each.counted} == {
        f"config {each.device}" if each.check == "config" else each.id for each in report.findings if each.counted
    }


@cache
def clean_report(site: str) -> Report:
    return Network(site).judge()


def remedies(site: str, do: Break) -> list[tuple[str, str, str]]:
    network = Network(site)
    do(network)
    return [(each.lead.check, each.lead.device, each.remedy) for each in network.judge().causes]


@pytest.mark.parametrize("device", ["leaf-g1-r0", "leaf-g1-r1", "spine-1"])
def test_a_shut_port_leads_with_its_line_and_the_push_that_repairs_it(device: str) -> None:
    (found,) = remedies("lab-rails", one_port(device, enabled=False))
    assert found == ("config", device, f"nornir push --limit {device}")
    (cause,) = broken("lab-rails", Fault("", frozenset(), one_port(device, enabled=False))).causes
    assert cause.lead.port == fabric_port(Network("lab-rails"), device)
    assert len(cause.follows) >= 37


def test_a_cut_cable_leads_with_the_cable_to_look_at() -> None:
    network = Network("lab-rails")
    link = network.links()[0]
    (spine, spine_port), (leaf, leaf_port) = network.ends(link)
    ((check, _, remedy),) = remedies("lab-rails", lambda n: cut(n, link))
    assert check == "port"
    assert remedy == f"look at cable {link}: {leaf} {leaf_port} to {spine} {spine_port}"


def test_swapped_cables_lead_once_with_both_names() -> None:
    first, last = Network("lab-rails").links()[0], Network("lab-rails").links()[-1]
    network = Network("lab-rails")
    network.swap(first, last)
    (cause,) = network.judge().causes
    assert cause.lead.check == "lldp"
    assert f"swap the ends of {first} and {last}" in cause.lead.message
    assert sum(each.check == "lldp" for each in cause.follows) == 3


def test_a_switch_that_calls_itself_otherwise_is_one_cause_on_all_its_cables() -> None:
    network = Network("lab-rails")
    clean = network.evidence()
    lldp = {
        name: replace(
            seen,
            lldp=tuple(
                replace(x, remote_device="new" if x.remote_device == "spine-1" else x.remote_device) for x in seen.lldp
            ),
        )
        for name, seen in clean.observed.items()
    }
    for name, seen in lldp.items():
        network.shows(name, lambda _, seen=seen: seen)
    (cause,) = network.judge().causes
    assert "leads to new" in cause.lead.message
    assert len(cause.follows) == 7


def test_a_switch_nobody_pushed_to_is_one_cause_however_much_is_missing() -> None:
    network = Network("lab-rails")
    network.config(
        "leaf-g1-r0",
        bgp=None,
        qos=None,
        routing_policy=replace(network.wanted["leaf-g1-r0"].routing_policy, prefix_lists=(), route_maps=()),
    )
    for port in network.wanted["leaf-g1-r0"].interfaces:
        network.port("leaf-g1-r0", port.name, address=None, qos_profile=None, description=None)
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.device, cause.remedy) == (
        "config", "leaf-g1-r0", "nornir push --limit leaf-g1-r0",
    )  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, MOST_PORTS, MOST_PORTS + 1])
def test_ports_with_differing_lines_are_a_cause_each_until_it_is_the_whole_switch(count: int) -> None:
    network = Network("lab-rails")
    for place in range(count):
        network.port("spine-1", f"swp{place + 1}", mtu_bytes=1500)
    found = network.judge().causes
    assert len(found) == (count if count <= MOST_PORTS else 1)


def test_a_finding_that_could_not_be_told_stands_behind_what_failed() -> None:
    network = Network("lab-rails")
    network.silence("spine-2", dead=False)
    network.port("leaf-g1-r1", fabric_port(network, "leaf-g1-r1"), enabled=False)
    assert [each.lead.verdict for each in network.judge().causes] == [Verdict.FAIL, Verdict.ERROR]


def test_a_commit_that_is_not_confirmed_leads_before_all_else() -> None:
    network = Network("lab-rails")
    network.port("leaf-g1-r0", fabric_port(network, "leaf-g1-r0"), enabled=False)
    evidence = replace(network.evidence(), unfinished={"spine-1": "a commit timer still runs"})
    first, second = judge(evidence).causes
    assert (first.lead.check, first.lead.message) == ("unfinished", "spine-1: a commit timer still runs")
    assert second.lead.check == "config"
    assert judge(evidence).total == clean_report("lab-rails").total


def test_one_lost_link_of_several_between_two_switches_loses_its_own_paths_only() -> None:
    network = Network("clos3")
    cut(network, network.links()[0])
    (cause,) = network.judge().causes
    assert cause.lead.check == "port"
    assert {each.found for each in cause.follows if each.check == "ecmp"} >= {"7", "3"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("site", SMALL)
def test_a_switch_that_hangs_and_another_fault_are_two_leading_findings(site: str) -> None:
    chance = Random(f"{site} hangs")
    for hang in hangs(site):
        for other in chance.sample([each for each in faults(site, everywhere=True) if not each.where & hang.where], 4):
            if any(is_hidden(site, *pair) for pair in ((hang, other), (other, hang))):
                continue
            found = broken(site, hang, other).causes
            assert len(found) == 2, (hang.name, other.name, [each.lead.message for each in found])


TRIED = {
    "lab-rails": 30,
    "lab-unnumbered": 15,
    "svi": 20,
    "clos": 20,
    "clos3": 30,
    "split": 20,
    "lab-breakout": 20,
    "vrf": 20,
}


def apart(site: str, count: int, chance: Random) -> list[Fault]:
    """So many faults at switches that are not the same ones; fewer where the site is too small."""
    found: list[Fault] = []
    for fault in chance.sample(faults(site, everywhere=True), 40):
        if len(found) < count and not any(fault.where & each.where for each in found):
            found.append(fault)
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("site", SMALL)
def test_two_faults_at_different_switches_are_two_leading_findings(site: str) -> None:
    chance = Random(site)
    for _ in range(TRIED[site]):
        done = apart(site, 2, chance)
        if len(done) < 2 or any(is_hidden(site, *pair) for pair in (done, done[::-1])):
            continue
        found = broken(site, *done).causes
        assert len(found) == 2, ([each.name for each in done], [each.lead.message for each in found])


def is_hidden(site: str, one: Fault, other: Fault) -> bool:
    """Is all that leads the one broken by the other as well, as the cable to a switch that is dead?"""
    (leading,) = alone(site, one).leading
    return leading in alone(site, other).trouble


@pytest.mark.sampled(3)
@pytest.mark.parametrize("site", SMALL)
def test_nothing_is_hidden_that_no_shown_cause_explains(site: str, figure: Callable[[str], None]) -> None:
    """Any faults at three places: what follows from a finding is seen together with it when its fault is there alone.

    A route that several faults touch has other figures than with each of them, so of routes only this is asked: that
    the fault whose finding it follows from touches some route as well.
    """
    chance, hidden = Random(f"{site} three"), 0
    for _ in range(TRIED[site]):
        done = apart(site, 3, chance)
        report = broken(site, *done)
        assert_sorted_once(report)
        for cause in report.causes:
            seen = [alone(site, each).trouble for each in done]
            explained = set().union(*(each for each in seen if cause.lead.id in each))
            touches_routes = any(each.startswith("ecmp") for each in explained)
            for finding in cause.follows:
                hidden += 1
                assert finding.id in explained or (finding.check == "ecmp" and touches_routes), (
                    [each.name for each in done],
                    cause.lead.message,
                    finding.message,
                )
    figure(f"{site}: {hidden} findings folded in {TRIED[site]} networks with faults at three places, each explained")


def assert_sorted_once(report: Report) -> None:
    """Each finding that is not passed leads one cause or follows from one."""
    sorted_in = [id(each) for cause in report.causes for each in (cause.lead, *cause.follows)]
    assert sorted(sorted_in) == sorted(map(id, trouble(report)))


def test_without_trouble_there_is_no_cause() -> None:
    evidence = Network("lab-rails").evidence()
    assert causes(evidence, clean_report("lab-rails").findings) == ()
    assert Cause.__doc__

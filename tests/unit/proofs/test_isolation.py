"""Isolation on a small front fabric: one change opens or blocks a way, and is named with the line that decides.

Packets that the proof shows are walked hop by hop by a judge that shares no code with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from nornir_tasks.design.config.access_lists import TCP, AclBinding, AclRule
from nornir_tasks.design.model.flow_terms import Service
from nornir_tasks.proofs.breach import Breach, Judged
from nornir_tasks.proofs.isolation import judge
from tests.unit.proofs.front_proved import GUARDED, front
from tests.unit.proofs.site_proved import Site

GPU, STORE = "front-leaf-g1-a", "front-leaf-g2-b"
LOGIN = "front-leaf-g3-a"


def arrives(changed: Site, pair: Judged, breach: Breach) -> bool:
    """By the two gates that the breach names?"""
    assert breach.packet is not None
    arrivals = changed.walked(pair.source, breach)
    wanted = leaf_of(breach.by[-1]), pair.destination.group
    return any((leaf, host.rpartition("-")[0]) == wanted for leaf, host in arrivals)


def leaf_of(line: str) -> str:
    return line.split(maxsplit=1)[0]


def test_every_pair_of_groups_is_as_the_flows_say() -> None:
    found = front().judged()
    assert found.summary() == "isolation 31 of 31 pairs"
    assert (found.failed, found.undecided) == ((), ())


def test_what_the_flows_let_pass_arrives_and_all_else_does_not() -> None:
    """The walker, by hand: it can see both."""
    at = {(each.group, each.plane): each for each in front().attached}
    gpu, store, login = at["gpu", "storage"], at["store", "storage"], at["login", "business"]
    assert front().walker.delivered(gpu.sends(store, destination_port=2049)) == {"store-1", "store-2"}
    assert front().walker.delivered(store.sends(gpu, source_port=2049, is_open=True)) != set()
    assert front().walker.delivered(store.sends(gpu, source_port=2049)) == set(), "a new connection from the server"
    assert front().walker.delivered(gpu.sends(store, destination_port=2050)) == set()
    assert front().walker.delivered(login.sends(store, destination_port=2049)) == set()


@dataclass(frozen=True)
class Change:
    """One change, and what is said of it."""

    made: Callable[[], Site]
    pairs: tuple[tuple[str, str], ...]
    """Ends of the pairs that fail, in words."""
    kind: str
    by: tuple[str, ...]
    """The lines of the first."""


def opened(device: str, name: str, **fields: Any) -> Site:
    return opening(front(), device, name, **fields)


def opening(site: Site, device: str, name: str, **fields: Any) -> Site:
    return site.with_rules(device, name, (AclRule(5, True, **fields), *site.rules(device, name)))


def unbound(device: str, name: str, direction: str) -> tuple[AclBinding, ...]:
    return tuple(each for each in front().port(device, name).acls if each.use != f"ipv4 {direction}")


def one_list_out_gone_and_one_in_open() -> Site:
    """From storage nodes to GPU hosts on business: two doors, one after the other."""
    first = opened(STORE, "STORAGE-V200-IN", destination="10.169.0.0/25")
    return opening(first, GPU, "BUSINESS-V300-OUT", source="10.168.0.128/25", protocol=TCP)


CHANGES = {
    "two lists that let one plane into another": Change(
        one_list_out_gone_and_one_in_open,
        (("store on storage", "gpu on business"),),
        "open",
        ("front-leaf-g2-b Vlan200: rule 5 of STORAGE-V200-IN", "front-leaf-g1-a Vlan300: rule 5 of BUSINESS-V300-OUT"),
    ),
    "a port more at both ends": Change(
        lambda: opening(
            opened(GPU, "STORAGE-V200-IN", protocol=TCP, destination_ports=(22, 22)),
            STORE,
            "STORAGE-V200-OUT",
            source="10.168.0.0/25",
            protocol=TCP,
            destination_ports=(20, 30),
        ),
        (("gpu on storage", "store on storage"),),
        "open",
        ("front-leaf-g1-a Vlan200: rule 5 of STORAGE-V200-IN", "front-leaf-g2-b Vlan200: rule 5 of STORAGE-V200-OUT"),
    ),
    "a rule gone": Change(
        lambda: front().with_rules(
            GPU,
            "STORAGE-V200-IN",
            tuple(r for r in front().rules(GPU, "STORAGE-V200-IN") if r.destination_ports != (2049, 2049)),
        ),
        (("gpu on storage", "store on storage"),),
        "blocked",
        (
            "front-leaf-g1-a Vlan200: rule 120 of STORAGE-V200-IN",
            "front-leaf-g2-a Vlan200: rule 80 of STORAGE-V200-OUT",
        ),
    ),
    "a denial before what a flow allows": Change(
        lambda: front().with_rules(
            STORE,
            "STORAGE-V200-OUT",
            (AclRule(1, permit=False, protocol=TCP), *front().rules(STORE, "STORAGE-V200-OUT")),
        ),
        (("gpu on storage", "store on storage"),),
        "blocked",
        ("front-leaf-g1-a Vlan200: rule 80 of STORAGE-V200-IN", "front-leaf-g2-b Vlan200: rule 1 of STORAGE-V200-OUT"),
    ),
    "a host's bond in another plane's VLAN": Change(
        lambda: front().with_port(LOGIN, "bond1", access_vlan=320),
        (("login on business", "api on business"), ("api on business", "login on business")),
        "open",
        ("both are in one VLAN: front-leaf-g3-a swp1, VLAN 320",),
    ),
    "a leaf that announces its hosts no more": Change(
        lambda: front().with_device(STORE, bgp=None),
        (("store on storage", "gpu on storage"),),
        "blocked",
        ("front-leaf-g2-b Vlan200: no route to 10.168.0.0/25",),
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_named_with_its_pair_and_the_lines_that_decide(change: Change) -> None:
    changed = change.made()
    failed = changed.judged().failed
    assert {(str(each.source), str(each.destination)) for each in failed} == {*change.pairs}
    (breach,) = failed[0].breaches
    assert (breach.kind, breach.by) == (change.kind, change.by)
    if breach.packet is not None:
        assert arrives(changed, failed[0], breach) == (change.kind == "open")


def test_one_list_that_is_open_opens_nothing_while_the_other_end_is_closed() -> None:
    ssh: dict[str, Any] = {"source": "10.168.0.0/25", "protocol": TCP, "destination_ports": (22, 22)}
    assert opened(GPU, "STORAGE-V200-IN", **ssh).judged().failed == ()
    assert opened(STORE, "STORAGE-V200-OUT", **ssh).judged().failed == ()
    assert front().with_port(GPU, "Vlan300", acls=unbound(GPU, "Vlan300", "out")).judged().failed == ()


def test_a_list_that_is_open_reaches_what_another_plane_lets_in_from_anywhere() -> None:
    """HTTPS from ``outside`` to api is not for hosts on storage: the list refuses the site's own, unless changed."""
    any_out = opened(GPU, "STORAGE-V200-IN")
    assert any_out.judged().failed == ()
    failed = opening(any_out, LOGIN, "BUSINESS-V320-OUT", protocol=TCP, destination_ports=(443, 443)).judged().failed
    assert [(str(each.source), str(each.destination)) for each in failed] == [("gpu on storage", "api on business")]
    assert str(failed[0].breaches[0].packet) == "TCP 10.168.0.4:49152 to 10.171.1.4:443, new"


def test_a_list_without_its_last_denial_is_open_on_systems_that_deny_nothing_by_themselves() -> None:
    """EOS ends every list with a denial, Cumulus Linux does not."""
    any_out = opened(GPU, "STORAGE-V200-IN")
    before = {(str(each.source), str(each.destination)) for each in any_out.judged().failed}

    def without_end(site: Site, device: str, name: str) -> Site:
        return site.with_rules(device, name, tuple(site.rules(device, name)[:-1]))

    on_eos = without_end(any_out, GPU, "BUSINESS-V300-OUT").judged().failed
    assert {(str(each.source), str(each.destination)) for each in on_eos} == before
    on_nvue = without_end(any_out, LOGIN, "BUSINESS-V310-OUT").judged().failed
    opens = {(str(each.source), str(each.destination)): each.breaches for each in on_nvue}
    assert opens.keys() - before == {("gpu on storage", "login on business")}
    (breach,) = opens["gpu on storage", "login on business"]
    assert breach.by[-1] == f"{LOGIN} vlan310: the end of BUSINESS-V310-OUT"


def test_hosts_on_two_planes_that_forward_open_every_way_between_them() -> None:
    failed = front().guarding({}).judged().failed
    assert {(each.source.plane, each.destination.plane) for each in failed} == {
        ("storage", "business"), ("business", "storage"),
    }  # fmt: skip
    assert failed[0].breaches[0].by == (
        "hosts gpu-* are on both planes, and plane_guard does not keep them from forwarding",
    )
    half = {"gpu": GUARDED["gpu"] - {"business"}}
    assert len(front().guarding(half).judged().failed) == len(failed)


def test_each_service_is_listed_with_the_lines_that_decide() -> None:
    services = {"nfs": (Service(TCP, (2049, 2049)),), "portmap": (Service(TCP, (111, 111)), Service(17, (111, 111)))}
    found = judge(front().network, front().configs, GUARDED, services)
    at = {(str(each.source), str(each.destination)): each.services for each in found.pairs}
    there = {each.service: (each.passes, each.by) for each in at["gpu on storage", "store on storage"]}
    lists = (
        "front-leaf-g1-a Vlan200: rule {} of STORAGE-V200-IN",
        "front-leaf-g2-a Vlan200: rule {} of STORAGE-V200-OUT",
    )
    assert there["nfs"] == (True, tuple(each.format(80) for each in lists))
    assert there["portmap"] == (True, tuple(each.format(number) for number in (90, 100) for each in lists))
    assert there["anything else"] == (False, (lists[0].format(120),))
    back = {each.service: each.passes for each in at["store on storage", "gpu on storage"]}
    assert back == {"nfs": False, "portmap": False, "anything else": False}


def test_services_that_have_every_port_leave_nothing_else() -> None:
    found = judge(front().network, front().configs, GUARDED, {"any": (Service(TCP, (1, 65535)),)})
    assert {each.service for pair in found.pairs for each in pair.services} == {"any"}


def test_a_list_on_a_port_between_switches_is_not_followed_and_said_so() -> None:
    bound = (AclBinding("ipv4", "in", "STORAGE-V200-IN"),)
    found = front().with_port("front-spine-1", "swp1", acls=bound).judged()
    assert found.undecided == ("front-spine-1: swp1: STORAGE-V200-IN filters between switches",)
    assert found.summary() == "isolation 0 of 31 pairs, 31 could not be told"


def test_a_binding_to_a_list_that_is_not_there_filters_nothing() -> None:
    lists = tuple(each for each in front().configs[GPU].access_lists if not each.name.endswith("-OUT"))
    acls = tuple(
        replace(each, name="NOWHERE") if each.use == "ipv4 out" else each for each in front().port(GPU, "Vlan300").acls
    )
    gone = front().with_port(GPU, "Vlan300", acls=acls)
    changed = opening(gone.with_device(GPU, access_lists=lists), STORE, "STORAGE-V200-IN")
    failed = {(str(each.source), str(each.destination)): each for each in changed.judged().failed}
    (breach,) = failed["store on storage", "gpu on business"].breaches
    assert breach.by[1] == "front-leaf-g1-a Vlan300: NOWHERE, which does not exist"

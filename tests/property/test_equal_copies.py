"""A fabric in copies is so many fabrics: each is cabled as the fabric would be alone, and none knows of another."""

from collections import Counter, defaultdict
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import DesignError, IntentError
from tests.intent_parts import fabric, nics
from tests.strategies import built, intent_data


@st.composite
def sites(draw: st.DrawFn) -> tuple[Network, Network]:
    """A random site with copies, and the same one without."""
    data: dict[str, Any] = draw(intent_data())
    copies = draw(st.sampled_from((2, 4)))
    fabric(data)["leaf"].pop("medium", None)
    fabric(data)["leaf"].pop("cable_m", None)
    own = nics(data)
    own.update(speed=f"{800 // copies}G")
    for key in ("model", "at", "exceptions"):
        own.pop(key, None)
    try:
        alone = built(data)
        own.update(model="ConnectX-8", copies=copies, copy_addressing=draw(st.sampled_from(("per_port", "shared"))))
        return built(data), alone
    except (DesignError, IntentError):
        assume(False)
        raise


def shape(link: Link, copy: int | None) -> tuple[str, str, str, str, int, int]:
    """The link with the names that its ends would have alone."""
    mark = f"-c{copy}-"
    upper, lower = link.upper.device.replace(mark, "-"), link.lower.device.replace(mark, "-")
    return upper, link.upper.port, lower, link.lower.port.removesuffix(f"c{copy}"), link.place, link.speed_gbps


@settings(max_examples=25, deadline=None)
@given(sites())
def test_each_copy_is_cabled_as_the_fabric_would_be_alone(pair: tuple[Network, Network]) -> None:
    several, alone = pair
    expected = Counter(shape(link, None) for link in alone.links)
    found: dict[int, Counter[tuple[Any, ...]]] = defaultdict(Counter)
    for link in several.links:
        copies = {several.device(end.device).copy for end in (link.upper, link.lower) if end.device in several}
        (copy,) = copies
        assert copy is not None
        found[copy][shape(link, copy)] += 1
    assert list(found.values()) == [expected] * several.fabrics["compute"].copies


@settings(max_examples=25, deadline=None)
@given(sites())
def test_switches_of_all_copies_differ_and_hosts_have_the_addresses_that_they_should(
    pair: tuple[Network, Network],
) -> None:
    several, _ = pair
    plane, devices = several.planes["compute"], several.devices
    assert len({each.name for each in devices}) == len({each.loopback for each in devices}) == len(devices)
    leaves = [each.asn for each in devices if each.level == 0]
    assert len(set(leaves)) == len(leaves)
    of_nics: dict[tuple[str, int], list[str]] = defaultdict(list)
    for nic in several.nics:
        (circuit,) = several.circuits_on(nic.link)
        of_nics[nic.host, nic.nic].append(circuit.lower_address)
        assert IPv4Address(circuit.lower_address) in IPv4Network(plane.supernet(nic.nic, nic.leg + 1))
    ports = 1 if plane.has_shared_addresses else len(plane.copy_pools)
    assert {len(set(each)) for each in of_nics.values()} == {ports}
    every = {address for each in of_nics.values() for address in each}
    assert len(every) == ports * len(of_nics)

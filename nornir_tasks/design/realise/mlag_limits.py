"""What a pair of switches needs, fitted to an OS, and what is refused of it: one that would lose hosts, or split."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, PartialConfig, PartialPort
from nornir_tasks.design.model.system_facts import PairFacts
from nornir_tasks.errors import Problem

_EVERYWHERE = frozenset({"peer_link", "keepalive_address", "keepalive_vrf", "reload_delay_s"})
"""Settings that every OS has lines for."""
_OTHERS = tuple(each.name for each in fields(PairSettings) if each.name not in _EVERYWHERE)


def within(pair: PairSettings | None, known: Capabilities) -> PairSettings | None:
    """The pair in the terms of this OS: without what it has no line for."""
    if pair is None or known.pair is None:
        return None
    without: dict[str, Any] = dict.fromkeys(name for name in _OTHERS if name not in known.pair.settings)
    return replace(pair, **without)


def problems(device: str, intended: PartialConfig, known: Capabilities) -> Iterator[Problem]:
    """All problems with the pair that one switch is wanted in, and with its groups over both switches."""
    ports, pair = intended.ports or {}, intended.pair
    over_both = {name: port for name, port in ports.items() if port.lag is not None and port.lag.pair_id is not None}
    if pair is None:
        hint = "an owner that wants such groups needs a fabric whose leaves are pairs (leaf.pairs)"
        what = "a link aggregation group over two switches, of which this is in no pair"
        yield from (Problem(f"{device} {name}", what, "a group on one switch", hint=hint) for name in over_both)
        return
    if known.pair is None:
        gap = known.pair_gap or f"{known.os} {known.release} has no lines for it"
        yield Problem(f"{device} pair", f"no pair of switches can be configured: {gap}", "single switches")
        return
    yield from _of_pair(f"{device} pair", pair, ports, known.pair)
    yield from _of_groups(device, over_both, known.pair)
    yield from _of_ways_on(f"{device} pair", intended, over_both, known)
    yield from _of_peer_link(f"{device} {pair.peer_link}", pair, intended, over_both, known)


def _of_pair(where: str, pair: PairSettings, ports: Mapping[str, PartialPort], known: PairFacts) -> Iterator[Problem]:
    if known.peer_link and pair.peer_link != known.peer_link:
        yield Problem(where, "the peer link has another name here", known.peer_link, pair.peer_link)
    if known.max_number and not 1 <= (pair.number or 0) <= known.max_number:
        yield Problem(where, "a pair has no such number", f"1 to {known.max_number}", str(pair.number))
    for what, delay_s in _delays(pair):
        if delay_s is not None and not 1 <= delay_s <= known.max_reload_delay_s:
            expected = f"1 to {known.max_reload_delay_s} s"
            yield Problem(where, f"{what} cannot wait so long after a restart", expected, f"{delay_s} s")
    for name in sorted(known.settings & {"vlan", "peer_address", "keepalive_source", "mac_address", "name"}):
        if getattr(pair, name) is None:
            yield Problem(where, f"a pair needs {name.replace('_', ' ')} on this OS")
    if pair.keepalive_address in {pair.peer_address, pair.keepalive_source}:
        what = "the keepalive goes to an address on the peer link, or to this switch"
        yield Problem(
            where, what, "an address of the other switch, reached without the peer link", pair.keepalive_address
        )
    for name in _over(pair, ports):
        hint = "it tells a switch that died from a link that did: the other one's loopback, by way of spines"
        yield Problem(
            where, "the keepalive crosses the peer link", "another way", f"{pair.keepalive_address} on {name}", hint
        )


def _delays(pair: PairSettings) -> Iterator[tuple[str, int | None]]:
    yield "groups", pair.reload_delay_s
    yield "other ports", pair.routed_reload_delay_s
    yield "interfaces of VLANs", pair.gateway_delay_s


def _of_ways_on(
    where: str, intended: PartialConfig, groups: Mapping[str, PartialPort], known: Capabilities
) -> Iterator[Problem]:
    """A leaf whose uplinks are lost needs the other one: hosts go on sending it half of what they send.

    Where its gateways are in a VRF none is made yet, and ``nornir design`` says so (``warnings``).
    """
    gateways = [each for name, each in (intended.ports or {}).items() if name.startswith(known.svi_prefix)]
    if any(each.vrf is not None for each in gateways):
        return
    if groups and known.pair is not None and not _has_session(intended, known, known.pair):
        hint = "the fabric routes between both leaves in the default VRF, over the peer link"
        what = "bonds end on a pair whose leaves do not route to one another: one without uplinks would drop packets"
        yield Problem(where, what, "a session between both over the peer link", hint=hint)


def warnings(network: Network) -> tuple[str, ...]:
    """One for each fabric whose pairs do not route to one another, as it is in a VRF."""
    paired = dict.fromkeys(pair.fabric for pair in network.pairs)
    return tuple(
        f"fabrics.{name}: no session over the peer links of its pairs in VRF {vrf}: a leaf that lost all its uplinks "
        "drops what hosts send it; in the default VRF the other leaf takes it"
        for name in paired
        if (vrf := network.fabrics[name].vrf) is not None
    )


def _has_session(intended: PartialConfig, known: Capabilities, facts: PairFacts) -> bool:
    """Is there one with an address of the peer VLAN's subnet, or behind the peer link's subinterface?"""
    peers = [peer for vrf, peer in intended.neighbors or {} if vrf is None]
    if facts.peer_subnet is None:
        return f"{facts.peer_link}.{facts.peer_vlan}" in peers
    svi = (intended.ports or {}).get(f"{known.svi_prefix}{facts.peer_vlan}")
    subnet = ip_network(facts.peer_subnet)
    has_address = svi is not None and svi.address is not None
    return has_address and any("." in peer and ip_address(peer) in subnet for peer in peers)


def _over(pair: PairSettings, ports: Mapping[str, PartialPort]) -> Iterator[str]:
    """Ports with switched VLANs, in whose subnet the keepalive's address is: these VLANs are on the peer link."""
    try:
        address = ip_address(pair.keepalive_address)
    except ValueError:
        yield "no port: it is no address"
        return
    for name, port in ports.items():
        is_svi = port.layer1 is None and port.lag is None and port.tag is None and not _is_host(port)
        if port.address is None or not is_svi or port.vrf != pair.keepalive_vrf:
            continue
        if address in ip_interface(port.address).network:
            yield name


def _is_host(port: PartialPort) -> bool:
    """Is it a loopback, with an address of its own alone?"""
    return port.address is not None and port.address.endswith("/32")


def _of_groups(device: str, groups: Mapping[str, PartialPort], known: PairFacts) -> Iterator[Problem]:
    seen: dict[int, str] = {}
    for name, port in groups.items():
        where, number = f"{device} {name}", port.lag.pair_id if port.lag and port.lag.pair_id is not None else 0
        if not 1 <= number <= known.max_id:
            yield Problem(
                where, "a group over two switches cannot have this number", f"1 to {known.max_id}", str(number)
            )
        if number in seen:
            hint = "the number tells both switches which of their groups end on one host"
            yield Problem(where, f"{seen[number]} has the same number", "a number for each", str(number), hint)
        seen.setdefault(number, name)
        if port.access_vlan is None and port.tagged_vlans is None:
            what = "a routed group cannot be over two switches"
            yield Problem(where, what, "a group in VLANs, or a routed group on each switch")


def _of_peer_link(
    where: str,
    pair: PairSettings,
    intended: PartialConfig,
    groups: Mapping[str, PartialPort],
    known: Capabilities,
) -> Iterator[Problem]:
    facts, link = known.pair, (intended.ports or {}).get(pair.peer_link)
    if facts is None or link is None or link.lag is None or link.tagged_vlans is None:
        hint = "the fabric declares a group of all links between both switches"
        yield Problem(
            where,
            "a pair has no peer link",
            "a group that is a trunk",
            found="" if link is None else "no trunk",
            hint=hint,
        )
        return
    if link.lag.pair_id is not None:
        yield Problem(where, "the peer link is a group over both switches itself", "no id", str(link.lag.pair_id))
    needed = {pair.vlan} if "peer_address" in facts.settings else set[int | None]()
    for port in groups.values():
        needed |= {port.access_vlan, port.native_vlan, *(port.tagged_vlans or ())}
    missing = sorted(
        number for number in needed - {None} - {*link.tagged_vlans, link.native_vlan} if number is not None
    )
    if missing:
        hint = "packets for a host whose link to this switch is down go over the peer link"
        yield Problem(
            where, "the peer link lacks VLANs", "all VLANs of the pair's groups", ", ".join(map(str, missing)), hint
        )
    largest = max((port.mtu_bytes or 0 for port in groups.values()), default=0)
    if (link.mtu_bytes or 0) < largest:
        yield Problem(
            where, "the peer link takes smaller packets than the pair's groups", f"{largest}", str(link.mtu_bytes)
        )
    if facts.peer_link_mtu_bytes is not None and (link.mtu_bytes or 0) < facts.peer_link_mtu_bytes:
        expected = f"{facts.peer_link_mtu_bytes}, which it has by itself"
        yield Problem(where, "the peer link cannot take less here", expected, str(link.mtu_bytes))
    lossy = sorted(
        _lossless(intended, [each.profile for each in groups.values()]) - _lossless(intended, [link.profile])
    )
    if lossy:
        hint = "a packet that crosses the peer link must find the buffers of a lossless class there as well"
        yield Problem(
            where, "the peer link drops packets of lossless classes", "the groups' profile", ", ".join(lossy), hint
        )


def _lossless(intended: PartialConfig, profiles: list[str | None]) -> set[str]:
    """The classes that ports of any of these profiles never drop."""
    found: set[str] = set()
    for name in profiles:
        own = (intended.profiles or {}).get(name or "")
        classes = own.classes if own is not None else intended.classes if name == FABRIC_PROFILE else None
        found |= {each.name for each in classes or () if each.lossless}
    return found

"""802.1Q tags: several circuits on one port, as VLANs of a trunk or as routed subinterfaces of it.

A circuit that is switched into a VLAN makes its port a trunk if it has a tag; a routed one has its own subinterface,
which all three systems name after the port and the tag (``Ethernet1/1.100``, ``swp1.100``).
"""

from collections.abc import Iterator

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.errors import Problem


def port_of(interface: str) -> str:
    """The parent port of a subinterface; any other interface itself."""
    return interface.partition(".")[0]


def problems(device: str, intended: PartialConfig, known: Capabilities) -> Iterator[Problem]:
    """All problems with the wanted trunks and subinterfaces of one switch."""
    ports, vlans = intended.ports or {}, frozenset(intended.vlans or ())
    for name, port in ports.items():
        where = f"{device} {name}"
        carried = (port.tagged_vlans or frozenset()) | ({port.native_vlan} - {None})
        if not known.has_tags and (carried or port.tag is not None):
            yield Problem(where, f"no VLAN tags can be configured: {known.tag_gap}", "one VLAN, or a port for each")
            continue
        if carried or port.tagged_vlans is not None:
            own = known.pair.peer_link_native_vlan if known.pair and name == known.pair.peer_link else None
            yield from _of_trunk(where, port, carried - {own}, vlans)
        if port.tag is not None:
            yield from _of_subinterface(where, name, port, port.tag, ports.get(port_of(name)))
            if not 2 <= port.tag <= known.max_tag:
                yield Problem(where, "no such tag can be configured", f"2 to {known.max_tag}", str(port.tag))
            if port.tag in vlans:
                hint = "give the subinterface or the VLAN another number"
                yield Problem(where, "the tag is also a VLAN of this switch", found=str(port.tag), hint=hint)


def _of_trunk(
    where: str, port: PartialPort, carried: frozenset[int | None], vlans: frozenset[int]
) -> Iterator[Problem]:
    also = {
        "an access port": port.access_vlan,
        "a routed port": port.address or port.ipv6_address or port.vrf or port.ra_interval_ms or port.tag,
    }
    for what, value in also.items():
        if value is not None:
            yield Problem(where, f"a trunk is also wanted as {what}", "one of the two", str(value))
    if port.tagged_vlans is None or port.native_vlan in port.tagged_vlans:
        what = "the VLAN of untagged frames is one of those with tags" if port.tagged_vlans else "no VLAN has a tag"
        yield Problem(where, what, "a trunk of other VLANs with tags", str(port.native_vlan))
    for number in sorted(each for each in carried if each is not None and each not in vlans):
        hint = "an owner that puts a VLAN on a trunk must declare it"
        yield Problem(
            where, "a trunk carries a VLAN that no owner declares on this switch", found=str(number), hint=hint
        )


def _of_subinterface(
    where: str, name: str, intended: PartialPort, tag: int, port: PartialPort | None
) -> Iterator[Problem]:
    if name != f"{port_of(name)}.{tag}":
        yield Problem(where, "a subinterface is not named after its tag", f"{port_of(name)}.{tag}", name)
    if intended.ra_interval_ms is not None:
        yield Problem(where, "no unnumbered link can run over a subinterface", "IPv4 addresses")
    if port is None or port.access_vlan is not None or port.tagged_vlans is not None:
        found = "the intent does not use it" if port is None else "it is switched"
        yield Problem(where, "a subinterface is part of a routed port", f"{port_of(name)} routed", found)
    elif (intended.mtu_bytes or 0) > (port.mtu_bytes or 0):
        what = "a subinterface holds no more than its port"
        yield Problem(where, what, f"at most {port.mtu_bytes}", str(intended.mtu_bytes))

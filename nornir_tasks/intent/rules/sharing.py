"""Rules of NIC ports that several planes share: a tag tells the planes apart, and all else is said once."""

from collections.abc import Iterator

from nornir_tasks.intent.core.findings import Finding, Path, as_shown
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.host import HostGroupIntent, NicsIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.settings import Terms

ALONE = ("rails", "speed", "ports_of")
"""What is said of NIC ports that another plane describes."""


def sharing(intent: Intent) -> Iterator[Finding]:
    """Every group's shared ports, and tags that no host bears."""
    shared: set[str] = set()
    for group, hosts in intent.hosts.items():
        for name, nics in hosts.nics.items():
            if nics.ports_of is not None:
                shared.add(name)
                yield from independent(_ports(("hosts", group, "nics"), name, hosts, intent))
        yield from independent(_one_tag_each(group, hosts, intent))
    for name, plane in intent.planes.items():
        if plane.tag is not None and name not in shared:
            expected = "ports_of in hosts.<group>.nics of this plane, or no tag"
            yield Finding(("planes", name, "tag"), "a tag on ports that no other plane uses", expected, str(plane.tag))
        of_hosts = [hosts.nics[name] for hosts in intent.hosts.values() if name in hosts.nics]
        if plane.storm_control is not None and of_hosts and all(each.ports_of is not None for each in of_hosts):
            what, hint = "storm control of a plane without ports of its own", "shared ports go by their plane's"
            others = sorted({str(each.ports_of) for each in of_hosts})
            yield Finding(("planes", name, "storm_control"), what, f"it at {', '.join(others)}", hint=hint)


def _ports(above: Path, name: str, hosts: HostGroupIntent, intent: Intent) -> Iterator[Finding]:
    nics, path, other = hosts.nics[name], (*above, name), str(hosts.nics[name].ports_of)
    own = [each for each, there in hosts.nics.items() if there.ports_of is None]
    if other not in own:
        known = as_shown(", ".join(own)) or "a plane with NIC ports of its own"
        yield Finding((*path, "ports_of"), "no plane of these hosts with NIC ports of its own", known, other)
        return
    yield from _of_ports(path, nics, hosts.nics[other], (*above, other))
    if name in intent.planes and other in intent.planes:
        yield from independent(_same_fabric(name, other, intent))
        if "bond" in (intent.planes[name].link, intent.planes[other].link):
            yield from _both_bonded(name, other, intent, path)
            yield from _all_ports(name, other, hosts, path)
        else:
            yield from independent(_tagged(name, intent, path))
            yield from independent(*(_routed(each, intent.planes[each], path) for each in (name, other)))
        yield from independent(_mtu(name, other, intent), _queues(name, other, intent))


def _of_ports(path: Path, nics: NicsIntent, owner: NicsIntent, also: Path) -> Iterator[Finding]:
    fields = {key: each for key, each in type(nics).model_fields.items() if key not in ALONE}
    for key in (
        key for key, each in fields.items() if getattr(nics, key) != each.get_default(call_default_factory=True)
    ):
        what = "the ports are another plane's, which says this of them"
        yield Finding((*path, key), what, f"no {key} here", also=also)
    if nics.rails > owner.rails:
        what = "more rails than there are ports"
        yield Finding((*path, "rails"), what, f"at most {owner.rails}", str(nics.rails), also=(*also, "rails"))
    if nics.speed != owner.speed:
        what = "another speed than the ports have"
        yield Finding((*path, "speed"), what, f"{owner.speed}G", f"{nics.speed}G", also=(*also, "speed"))


def _both_bonded(name: str, other: str, intent: Intent, path: Path) -> Iterator[Finding]:
    """A port is a member of a bond for all planes or for none; the planes are VLANs of it."""
    one, owner = intent.planes[name], intent.planes[other]
    if one.link != owner.link:
        what = f"not the link of plane {other}, whose NIC ports it shares"
        of_owner: Path = ("planes", other, "link")
        yield Finding(("planes", name, "link"), what, owner.link, one.link, "a port is bonded or routed", also=of_owner)
    elif one.host_vlan == owner.host_vlan:
        what, expected = f"the VLAN of plane {other}, whose bond it shares", "another vlan"
        also = (*path, "ports_of")
        yield Finding(("planes", name, "vlan"), what, expected, str(one.host_vlan), also=also)


def _all_ports(name: str, other: str, hosts: HostGroupIntent, path: Path) -> Iterator[Finding]:
    """A plane that shares a bond shares all of its ports: none of them is left out."""
    rails, there = hosts.nics[name].rails, hosts.nics[other].rails
    if rails < there:
        what, hint = f"not all ports of the bond of plane {other}", "a plane that uses a bond uses all of its ports"
        yield Finding((*path, "rails"), what, str(there), str(rails), hint, also=(*path[:-1], other, "rails"))


def _tagged(name: str, intent: Intent, path: Path) -> Iterator[Finding]:
    if intent.planes[name].tag is None:
        hint = "on one port nothing else tells the packets of two planes apart"
        what, also = "shares NIC ports with another plane, without a tag", (*path, "ports_of")
        yield Finding(("planes", name, "tag"), what, "tag: 2-1005", hint=hint, also=also)


def _same_fabric(name: str, other: str, intent: Intent) -> Iterator[Finding]:
    one, owner = intent.planes[name], intent.planes[other]
    if one.fabric != owner.fabric:
        what = f"shares the NIC ports of plane {other}, which rides on another fabric"
        path, also = ("planes", name, "fabric"), ("planes", other, "fabric")
        yield Finding(path, what, owner.fabric, one.fabric, also=also)


def _routed(name: str, plane: PlaneIntent, path: Path) -> Iterator[Finding]:
    if plane.link == "svi":
        what = "shared NIC ports that are switched into a VLAN are not built yet"
        hint = "or NIC ports of their own for each plane, without ports_of"
        yield Finding(("planes", name, "link"), what, "p2p or subnet/N", plane.link, hint, also=(*path, "ports_of"))


def _terms(name: str, intent: Intent) -> Terms:
    plane = intent.planes[name]
    return Terms(intent.policy, plane.fabric, intent.fabrics[plane.fabric], name, plane)


def _mtu(name: str, other: str, intent: Intent) -> Iterator[Finding]:
    """A VLAN on a port carries no larger packets than the port."""
    if not {intent.planes[each].fabric for each in (name, other)} <= set(intent.fabrics):
        return
    one, owner = _terms(name, intent), _terms(other, intent)
    if one.host_mtu_bytes > owner.host_mtu_bytes:
        what = f"larger packets than plane {other}, whose NIC ports it shares"
        found = str(one.host_mtu_bytes)
        yield Finding(one.host_mtu_at, what, f"at most {owner.host_mtu_bytes}", found, also=owner.host_mtu_at)


def _queues(name: str, other: str, intent: Intent) -> Iterator[Finding]:
    """A port has its queues once, whatever tags packets bear."""
    if not {intent.planes[each].fabric for each in (name, other)} <= set(intent.fabrics):
        return
    one, owner = _terms(name, intent), _terms(other, intent)
    hint = "a NIC port has its queues once; give the plane NIC ports of its own, or let them agree"
    if one.classes != owner.classes:
        what = f"other traffic classes than plane {other}, whose NIC ports it shares"
        found, also = ", ".join(one.classes), owner.classes_at
        yield Finding(one.classes_at, what, f"those of plane {other}", found, hint, also=also)
    if one.congestion != owner.congestion:
        what = f"not what plane {other} does against congestion, whose NIC ports it shares"
        yield Finding(one.congestion_at, what, owner.congestion, one.congestion, hint, also=owner.congestion_at)


def _one_tag_each(group: str, hosts: HostGroupIntent, intent: Intent) -> Iterator[Finding]:
    seen: dict[tuple[str, int], str] = {}
    for name, nics in hosts.nics.items():
        tag = intent.planes[name].tag if name in intent.planes else None
        if nics.ports_of is None or tag is None:
            continue
        before = seen.setdefault((nics.ports_of, tag), name)
        if before != name:
            what = f"the tag that plane {before} has on the same NIC ports of {group}"
            yield Finding(("planes", name, "tag"), what, "another tag", str(tag), also=("planes", before, "tag"))

"""Rules of what passes the boundary: flows, published services, the way to the bastions."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches

from nornir_tasks.intent.core.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.boundary import BastionsIntent, BoundaryFlowIntent, BoundaryIntent, PublishedIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_names import Network, groups_of, zone_at
from nornir_tasks.intent.rules.flow import OUTSIDE
from nornir_tasks.intent.rules.oob_devices import names_on, of_trees

TOP: Path = ("boundary",)
NEVER = "compute, storage and out-of-band planes are never joined to the outside world"
BASTIONS_FIRST, BASTIONS = 4, 2
"""Place of the first bastion's address on a link, and how many there are."""


def passes(each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    """Everything that the firewalls let pass."""
    yield from independent(
        *(_flow(number, flow, each, intent) for number, flow in enumerate(each.flows)),
        *(_published(name, one, each, intent) for name, one in each.published.items()),
        _addresses_apart(each),
        _bastions(each, intent),
    )


def end(
    path: Path, name: str, each: BoundaryIntent, intent: Intent, without: Collection[str] = ()
) -> Iterator[Finding]:
    """One end of what passes: it is there, and it may be reached."""
    groups, trees = groups_of(intent, each), of_trees(intent)
    zones = [zone for zone in each.zones if each.zones[zone].plane not in trees]
    known = [known for known in (*zones, *groups, *each.networks) if known not in without]
    if name in each.zones and name not in zones:
        expected = "bastions, whose hosts have ports of their own on it"
        yield Finding(path, "the out-of-band plane is reached by the bastions alone", expected, name, NEVER)
    elif name in known:
        return
    elif name in intent.planes or name in intent.hosts:
        what = "a plane that no zone is for" if name in intent.planes else "hosts that are on no zone's plane"
        yield Finding(path, what, f"one of {', '.join(known)}", name, NEVER)
    else:
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else ""
        yield Finding(path, "no zone, no hosts of one, and no network", ", ".join(known), name, hint)


def zone_of(name: str, each: BoundaryIntent, intent: Intent) -> str:
    """The zone that an end of a flow is in."""
    return name if name in each.zones else groups_of(intent, each).get(name, OUTSIDE)


def _flow(number: int, flow: BoundaryFlowIntent, each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    path: Path = (*TOP, "flows", number)
    wrong = [*end((*path, "source"), flow.source, each, intent)]
    wrong += end((*path, "destination"), flow.destination, each, intent)
    yield from wrong
    if not wrong and zone_of(flow.source, each, intent) == zone_of(flow.destination, each, intent):
        found = f"{flow.source} to {flow.destination}"
        yield Finding(path, "a flow that does not cross the firewalls", "ends in two zones", found)
    elif not wrong and flow.source == OUTSIDE and each.zones[zone_of(flow.destination, each, intent)].plane is not None:
        expected, hint = (
            "published: {...}, or networks that may",
            "hosts would be open to the whole Internet, without a health check",
        )
        yield Finding(path, "hosts of a plane for everybody outside", expected, flow.destination, hint)
    for position, name in enumerate(flow.services):
        if name not in each.services:
            known = as_shown(", ".join(each.services)) or "one that services describes"
            yield Finding((*path, "services", position), "no such service", known, name)


def _published(name: str, one: PublishedIntent, each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    path: Path = (*TOP, "published", name)
    if one.health is None:
        hint = "clients would be sent to servers that do not answer"
        yield Finding(path, "a published service without a health check", "health: {check: tcp}", hint=hint)
    if not one.tcp:
        yield Finding((*path, "tcp"), "a published service without ports", "tcp: 443")
    if one.servers not in groups_of(intent, each):
        yield from end((*path, "servers"), one.servers, each, intent, without=(*each.zones, *each.networks))
    families = [address.version for address in one.addresses]
    zones = [next((name for name, link in _links(each, its.version) if its in link), None) for its in one.addresses]
    for number, address in enumerate(one.addresses):
        at: Path = (*path, "addresses", number)
        links = {zone_name: link for zone_name, link in _links(each, address.version) if address in link}
        if not links:
            expected = "an address of a link of a zone without a plane"
            yield Finding(at, "an address that no zone has", expected, str(address))
        for zone_name, link in links.items():
            first = link.network_address + BASTIONS_FIRST + BASTIONS
            if not int(first) <= int(address) < int(link.broadcast_address):
                expected = f"from {first} on, below {link.broadcast_address}"
                also = zone_at(zone_name)
                yield Finding(at, "an address that firewalls or bastions have", expected, str(address), also=also)
        if families.index(address.version) != number:
            yield Finding(at, "a second address of one family", "one of each family at most", str(address))
        first_zone = next(filter(None, zones[:number]), None)
        if first_zone is not None and zones[number] not in (None, first_zone):
            what, expected = f"in another zone ({zones[number]}) than its other address", f"an address of {first_zone}"
            yield Finding(at, what, expected, str(address), also=zone_at(first_zone))


def _links(each: BoundaryIntent, version: int) -> Iterator[tuple[str, Network]]:
    for name, zone in each.zones.items():
        link = zone.link if version == 4 else zone.link_v6
        if link is not None and zone.plane is None and name != OUTSIDE:
            yield name, link


def _addresses_apart(each: BoundaryIntent) -> Iterator[Finding]:
    seen: dict[object, Path] = {}
    for name, one in each.published.items():
        for number, address in enumerate(one.addresses):
            path: Path = (*TOP, "published", name, "addresses", number)
            before = seen.setdefault(address, path)
            if before[2] != name and _share_ports(each.published[str(before[2])], one):
                what, expected = f"the address and port of {dotted(before[:3])}", "another address, or other ports"
                yield Finding(path, what, expected, str(address), also=before)


def _share_ports(one: PublishedIntent, other: PublishedIntent) -> bool:
    return any(first <= end and start <= last for first, last in one.tcp for start, end in other.tcp)


def _bastions(each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    if each.bastions is not None:
        yield from independent(
            _bastion_devices(each.bastions, intent), _bastion_zone(each), _bastion_users(each.bastions, intent)
        )


def _bastion_devices(bastions: BastionsIntent, intent: Intent) -> Iterator[Finding]:
    path: Path = (*TOP, "bastions", "device")
    trees = of_trees(intent)
    groups = [name for plane in trees.values() for name in plane.entry]
    if bastions.device not in groups:
        expected = ", ".join(groups) or "a group that an out-of-band plane may be entered from (entry)"
        yield Finding(path, "no device that may enter the out-of-band plane", expected, bastions.device)
    for name, plane in trees.items():
        if bastions.device in plane.devices and plane.devices[bastions.device].count < BASTIONS:
            what, also = "a single bastion: without it operators do not reach the switches", ("planes", name, "devices")
            found = str(plane.devices[bastions.device].count)
            yield Finding(path, what, f"count: {BASTIONS} there", found, also=(*also, bastions.device))


def _bastion_zone(each: BoundaryIntent) -> Iterator[Finding]:
    path, bastions = (*TOP, "bastions"), each.bastions
    if bastions is None:
        return
    if bastions.zone not in {name for name, zone in each.zones.items() if zone.plane is None and zone.port}:
        expected = "a zone with a port and no plane"
        yield Finding((*path, "zone"), "a zone that bastions cannot be in", expected, bastions.zone)
    elif bastions.zone == OUTSIDE:
        yield Finding((*path, "zone"), "bastions outside the firewalls", "a zone of their own, as dmz", OUTSIDE)
    for number, client in enumerate(bastions.clients):
        if client != OUTSIDE and client not in each.networks:
            expected = as_shown(", ".join((*each.networks, OUTSIDE)))
            yield Finding((*path, "clients", number), "no network outside", expected, client)


def _bastion_users(bastions: BastionsIntent, intent: Intent) -> Iterator[Finding]:
    planes = of_trees(intent).values()
    known = [name for plane in planes for name in names_on(plane, intent)]
    flows = [flow for plane in planes for flow in plane.flows or () if flow.source == bastions.device]
    reached = dict.fromkeys(flow.destination for flow in flows)
    is_entry = any(bastions.device in plane.entry for plane in planes)
    for group, users in bastions.users.items():
        for number, target in enumerate(users.targets):
            if target not in known:
                at: Path = (*TOP, "bastions", "users", group, "targets", number)
                yield Finding(at, "nothing on the out-of-band plane", as_shown(", ".join(known)), target)
            elif target not in reached and is_entry:
                at = (*TOP, "bastions", "users", group, "targets", number)
                hint = f"flows: {{source: {bastions.device}, destination: {target}, ...}} of that plane would let them"
                what, expected = "nothing that flows let the bastions reach", as_shown(", ".join(reached)) or "a flow"
                yield Finding(at, what, expected, target, hint)

"""Rules of bonds: what they stand on, and what planes and hosts must say so that they are one."""

from collections.abc import Collection, Iterator

from nornir_tasks.intent.core.fields import is_pci
from nornir_tasks.intent.core.findings import Finding, Path, as_shown
from nornir_tasks.intent.core.unknown import UNKNOWN, independent
from nornir_tasks.intent.keys.bonded_plane import BondIntent
from nornir_tasks.intent.keys.host import HostGroupIntent, NicsIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import TREE
from nornir_tasks.intent.settings import Terms


def bond(each: BondIntent) -> Iterator[Finding]:
    """A host that boots over a bond must be able to send before it has one."""
    if each.pxe and not each.fallback:
        what = "hosts that boot over a bond which is down until LACP runs"
        hint = "the firmware of a NIC sends no LACP; without it the switch passes no packet"
        yield Finding(("fallback",), what, "fallback: true beside pxe: true", "false", hint)


def bonds(intent: Intent) -> Iterator[Finding]:
    """Every plane's transport and link, and every group's NIC ports on bonded planes and on pairs."""
    for name in intent.planes:
        yield from independent(_transport(name, intent), _servers(name, intent))
        yield from independent(_on_pairs(name, intent), _peer_class(name, intent))
    for group, hosts in intent.hosts.items():
        for plane, nics in hosts.nics.items():
            path: Path = ("hosts", group, "nics", plane)
            yield from independent(_bond_of(path, plane, nics, intent), _even(path, plane, nics, intent))
            yield from independent(_same_leaves(path, plane, group, hosts, intent))
            yield from independent(_one_card(path, plane, hosts, intent))
    for name in intent.fabrics:
        yield from independent(_override_hosts(name, intent))


def _transport(name: str, intent: Intent) -> Iterator[Finding]:
    plane, path = intent.planes[name], ("planes", name)
    for key in ("servers", "demand") if plane.transport is None else ():
        if getattr(plane, key):
            what, expected = f"{key} of a plane without a transport", f"transport: tcp or rdma beside it, or no {key}"
            yield Finding((*path, key), what, expected, as_shown(getattr(plane, key)))
    if plane.transport == "tcp" and plane.link != "bond":
        hint = "a client of TCP has one address, which must outlive each of its ports"
        yield Finding((*path, "link"), "TCP over ports without a bond", "link: bond", plane.link, hint)
    if plane.transport == "rdma":
        yield from independent(_rdma_class(name, intent))
    if plane.transport == "rdma" and plane.link == "svi":
        what = "RDMA over two ports of a host in one VLAN, without a bond"
        yield Finding((*path, "link"), what, "p2p, subnet/N, or bond", "svi")


def _rdma_class(name: str, intent: Intent) -> Iterator[Finding]:
    plane = intent.planes[name]
    if plane.fabric not in intent.fabrics:
        return
    terms = Terms(intent.policy, plane.fabric, intent.fabrics[plane.fabric], name, plane)
    if terms.congestion != "lossy" and not any(each.lossless for each in terms.classes.values()):
        hint = "or congestion: lossy, for NICs that send again what was dropped"
        what, expected = "RDMA to storage without a lossless class", "lossless: true in the class of RDMA"
        yield Finding(terms.classes_at, what, expected, ", ".join(terms.classes), hint)


def _servers(name: str, intent: Intent) -> Iterator[Finding]:
    plane, path = intent.planes[name], ("planes", name)
    there = [group for group, hosts in intent.hosts.items() if name in hosts.nics]
    for number, group in enumerate(plane.servers):
        if group not in there:
            what = "no group of hosts with NIC ports on this plane"
            yield Finding((*path, "servers", number), what, as_shown(", ".join(there)), group)
    if plane.demand is not None and plane.demand.loading_gib_per_s is None and plane.demand.checkpoint is None:
        yield Finding((*path, "demand"), "a demand of nothing", "loading_gib_per_s, checkpoint, or both")
    if plane.demand is not None and plane.transport is not None and not plane.servers:
        what, expected = "a demand without servers", f"servers: some of {as_shown(', '.join(there))}"
        yield Finding((*path, "demand"), what, expected)
    elif plane.demand is not None and not set(there) - set(plane.servers):
        what, expected = "a demand without clients", "a group of hosts on the plane that is no server"
        yield Finding((*path, "servers"), what, expected, as_shown(", ".join(plane.servers)))


def _on_pairs(name: str, intent: Intent) -> Iterator[Finding]:
    plane = intent.planes[name]
    if plane.link != "bond" or plane.fabric not in intent.fabrics or intent.fabrics[plane.fabric].design == TREE:
        return  # attached_rules refuse it on a tree
    leaf: Path = ("fabrics", plane.fabric, "leaf")
    if intent.fabrics[plane.fabric].leaf.pairs is None:
        what, hint = "a bond on leaves that are no pair", "LACP needs one partner: two leaves are one as a pair alone"
        expected = f"fabrics.{plane.fabric}.leaf.pairs: {{links: 2}}, or link: p2p"
        yield Finding(("planes", name, "link"), what, expected, "bond", hint, also=leaf)
    if plane.tag is not None:
        what, expected = "a tag on a bond, whose VLANs have numbers of their own", "vlan, and no tag"
        yield Finding(("planes", name, "tag"), what, expected, str(plane.tag))


def _peer_class(name: str, intent: Intent) -> Iterator[Finding]:
    """With one leaf's uplinks lost, packets cross the peer link: there they must be as safe as elsewhere."""
    plane = intent.planes[name]
    if plane.transport != "rdma" or plane.link != "bond" or plane.fabric not in intent.fabrics:
        return
    pairs = intent.fabrics[plane.fabric].leaf.pairs
    if pairs is not None and not pairs.lossless:
        what = "RDMA over a pair whose peer link lacks its class"
        expected = "link: p2p, two routed links a host; or pairs.lossless: true"
        hint = "a packet that crosses the peer link would be lost there under load, and RDMA sends all after it again"
        also: Path = ("fabrics", plane.fabric, "leaf", "pairs")
        yield Finding(("planes", name, "link"), what, expected, "bond", hint, also=also)


def _bond_of(path: Path, plane: str, nics: NicsIntent, intent: Intent) -> Iterator[Finding]:
    if nics.bond is None or nics.bond is UNKNOWN or plane not in intent.planes:
        return
    if intent.planes[plane].link != "bond":
        what, expected = "a bond of ports that are routed", "link: bond of the plane, or no bond here"
        found = intent.planes[plane].link
        yield Finding((*path, "bond"), what, expected, found, also=("planes", plane, "link"))
    elif nics.ports_of_leaf < nics.bond.min_links:
        what, expected = "more ports of a leaf than the bond has there", f"at most {nics.ports_of_leaf}"
        yield Finding((*path, "bond", "min_links"), what, expected, str(nics.bond.min_links))


def _one_card(path: Path, plane: str, hosts: HostGroupIntent, intent: Intent) -> Iterator[Finding]:
    """Ports of two NICs have no RDMA device together, where a place says which NIC a port is of."""
    nics, used = hosts.nics[plane], [plane, *(each for each, other in hosts.nics.items() if other.ports_of == plane)]
    of_rdma = [each for each in used if each in intent.planes and intent.planes[each].transport == "rdma"]
    if not of_rdma or intent.planes[plane].link != "bond" or nics.at is None:
        return
    own = dict(enumerate(nics.at))
    for host, places in {"": own, **{host: {**own, **each} for host, each in nics.exceptions.items()}}.items():
        if len({place.rpartition(".")[0] for place in places.values() if is_pci(place)}) > 1:
            where: Path = ("exceptions", host) if host else ("at",)
            what, also = "RDMA over a bond of two NICs", ("planes", of_rdma[0], "transport")
            expected = "ports of one NIC, whose PCI addresses differ in the function alone; or link: p2p"
            hint = "ports of one NIC have one RDMA device in a bond; of two, each has its own, and packets reach either"
            yield Finding((*path, *where), what, expected, ", ".join(places.values()), hint, also=also)


def _even(path: Path, plane: str, nics: NicsIntent, intent: Intent) -> Iterator[Finding]:
    if plane not in intent.planes or intent.planes[plane].fabric not in intent.fabrics:
        return
    fabric = intent.planes[plane].fabric
    if intent.fabrics[fabric].leaf.pairs is None:
        return
    also: Path = ("fabrics", fabric, "leaf", "pairs")
    if nics.rails % 2 and nics.ports_of is None:
        what, expected = "NIC ports that two leaves cannot have equally", "an even number: half on each leaf of a pair"
        yield Finding((*path, "rails"), what, expected, str(nics.rails), also=also)
    if nics.copies is not None:
        what, expected = "copies of a fabric whose leaves are pairs are not built", "no copies, or no pairs"
        yield Finding((*path, "copies"), what, expected, str(nics.copies), also=also)


def _same_leaves(path: Path, plane: str, group: str, hosts: HostGroupIntent, intent: Intent) -> Iterator[Finding]:
    nics = hosts.nics[plane]
    other = nics.leaves_of
    if other is None:
        return
    owners = [each for each in _with_leaves(intent, (plane,)) if each != group]
    if other not in owners:
        known = as_shown(", ".join(owners)) or "no leaves_of: no other group has leaves of its own on this plane"
        what = "no group of hosts with leaves of its own on this plane"
        yield Finding((*path, "leaves_of"), what, known, other)
        return
    also, owner = ("hosts", other, "nics", plane), intent.hosts[other].nics[plane]
    for key, unit in (("rails", ""), ("speed", "G")):
        if getattr(nics, key) != getattr(owner, key):
            what, expected = f"not the {key} of group {other}, on whose leaves they are", f"{getattr(owner, key)}{unit}"
            yield Finding((*path, key), what, expected, f"{getattr(nics, key)}{unit}", also=(*also, key))
    for key in ("per_group", "first_group", "ports_of", "copies"):
        if getattr(nics, key) is not None:
            what = f"the leaves are those of group {other}, which says this of them"
            yield Finding((*path, key), what, f"no {key} here", str(getattr(nics, key)), also=also)


def _override_hosts(name: str, intent: Intent) -> Iterator[Finding]:
    fabric = intent.fabrics[name]
    own = _with_leaves(intent, [each for each, plane in intent.planes.items() if plane.fabric == name])
    for position, override in enumerate(fabric.leaf.overrides):
        for number, group in enumerate(override.hosts or ()):
            if group not in own:
                path = ("fabrics", name, "leaf", "overrides", position, "hosts", number)
                what = "no group of hosts with leaves of its own on this fabric"
                yield Finding(path, what, as_shown(", ".join(own)), group)


def _with_leaves(intent: Intent, planes: Collection[str]) -> list[str]:
    """The groups of hosts with leaves of their own on one of these planes."""
    found: dict[str, None] = {}
    for group, hosts in intent.hosts.items():
        for plane, nics in hosts.nics.items():
            if plane in planes and nics.leaves_of is None and nics.ports_of is None:
                found[group] = None
    return list(found)

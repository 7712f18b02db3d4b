"""Rules of out-of-band planes: on a tree of their own, each port once, and entered from named devices alone.

A plane is out-of-band where its fabric is a tree; that its kind says so too is a rule of the design (kind_rules).
"""

from collections.abc import Iterator

from nornir_tasks.intent.core.findings import Finding, Path, as_shown
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.host import HostGroupIntent
from nornir_tasks.intent.keys.oob_devices import AttachedIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent

TREE = "tree"
BMC = "bmc"
"""What the port of a BMC is called (``out_of_band``)."""
SWITCHES = "switches"
"""In flows: the management ports of all switches of the site."""
OF_TREES = ("devices", "entry", "access_switches", "places")
"""Keys of a plane on a tree alone."""
OF_HOSTS = ("transport", "vlans", "default_route", "servers", "demand", "tag", "vrf")
"""Keys of a plane that hosts have NIC ports on."""


def group(each: AttachedIntent) -> Iterator[Finding]:
    """Growth is inside the declared maximum."""
    if each.max is not None and each.max < each.count:
        what, expected = "fewer devices at most than there are now", f"at least {each.count}"
        yield Finding(("max",), what, expected, str(each.max))


def of_trees(intent: Intent) -> dict[str, PlaneIntent]:
    """The out-of-band planes, by name."""
    trees = {name for name, fabric in intent.fabrics.items() if fabric.design == TREE}
    return {name: plane for name, plane in intent.planes.items() if plane.fabric in trees}


def bmc_group(hosts: str, port: str) -> str:
    """What ports of this name of a group's hosts are called on the plane: ``gpu-bmc``, and the first ``gpu-bmc-1``."""
    return f"{hosts}-{port}"


def names_on(plane: PlaneIntent, intent: Intent) -> tuple[str, ...]:
    """Everything that has ports on an out-of-band plane, by the names that flows have for it."""
    own = (bmc_group(name, port) for name, hosts in intent.hosts.items() for port in hosts.out_of_band or ())
    return (*plane.devices, *own, SWITCHES)


def kept_names(intent: Intent) -> frozenset[str]:
    """Everything but switches that a place on the out-of-band plane is kept for: ``gpu-bmc-1``, ``pdu-2``."""
    numbers = {name: each.most for plane in of_trees(intent).values() for name, each in plane.devices.items()}
    numbers |= {
        bmc_group(name, port): hosts.max for name, hosts in intent.hosts.items() for port in hosts.out_of_band or ()
    }
    return frozenset(f"{name}-{number}" for name, most in numbers.items() for number in range(1, most + 1))


def attached(intent: Intent) -> Iterator[Finding]:
    """Every plane, and every group of hosts."""
    there = of_trees(intent)
    for name, plane in intent.planes.items():
        path: Path = ("planes", name)
        rules = _on_tree(path, plane) if name in there else _on_others(path, plane, intent)
        yield from independent(rules)
    yield from independent(_one(there), _hosts(intent, there), _names(intent, there), _tool(intent, there))


def _on_others(path: Path, plane: PlaneIntent, intent: Intent) -> Iterator[Finding]:
    for key in OF_TREES:
        if getattr(plane, key) not in (None, (), {}) and plane.fabric in intent.fabrics:
            also: Path = ("fabrics", plane.fabric, "design")
            expected = f"a fabric with design: tree, or no {key}"
            found = f"design: {intent.fabrics[plane.fabric].design}"
            yield Finding((*path, key), f"{key} of a plane that is not out-of-band", expected, found, also=also)


def _on_tree(path: Path, plane: PlaneIntent) -> Iterator[Finding]:
    also: Path = ("fabrics", plane.fabric, "design")
    if plane.link != "svi":
        hint = "a management port knows no bond and no routing: those of one access switch share a VLAN and a gateway"
        yield Finding((*path, "link"), "a tree has ports in VLANs alone", "link: svi", plane.link, hint, also=also)
    for key in OF_HOSTS:
        if getattr(plane, key) not in (None, (), {}, False):
            what = f"{key} of an out-of-band plane"
            yield Finding((*path, key), what, f"no {key}", as_shown(str(getattr(plane, key))), also=also)
    yield from _entry(path, plane)
    yield from _places(path, plane)


def _entry(path: Path, plane: PlaneIntent) -> Iterator[Finding]:
    known = list(plane.devices)
    if not plane.entry:
        hint = "devices: {bastion: {count: 1}}, entry: [bastion]; all else is kept out"
        yield Finding((*path, "entry"), "no device may enter this plane", "groups of devices", hint=hint)
    for number, name in enumerate(plane.entry):
        if name not in plane.devices:
            expected = as_shown(", ".join(known)) or "a group that devices describes"
            yield Finding((*path, "entry", number), "no such group of devices", expected, name)
    if plane.flows is None:
        hint = "flows: [{source: bastion, destination: switches, services: [ssh, https]}]; an empty list lets none in"
        yield Finding((*path, "flows"), "an out-of-band plane without flows", "what may pass, all of it", hint=hint)
    is_known = plane.entry and set(plane.entry) <= plane.devices.keys()
    for number, flow in enumerate(plane.flows or ()):
        if is_known and not {flow.source, flow.destination} & set(plane.entry):
            what = "a flow that goes around those who may enter"
            expected = f"one end of {as_shown(', '.join(plane.entry))}"
            found = f"{flow.source} to {flow.destination}"
            yield Finding((*path, "flows", number), what, expected, found, also=(*path, "entry"))


def _places(path: Path, plane: PlaneIntent) -> Iterator[Finding]:
    """A port takes one cable."""
    first: dict[tuple[str, str], str] = {}
    for name, place in plane.places.items():
        other = first.setdefault((place.switch, place.port), name)
        if other != name:
            what, found = "two devices on one port", f"{place.switch} {place.port}, also {other}'s"
            hint = f"give {name} another port, or leave it out here: then it has one by itself"
            yield Finding((*path, "places", name), what, "each port once", found, hint, (*path, "places", other))


def tool(intent: Intent) -> str | None:
    """The device that switches are pushed from; None where the site has no out-of-band plane."""
    first = next((plane.entry[0] for plane in of_trees(intent).values() if plane.entry), None)
    return None if first is None else intent.management.tool or f"{first}-1"


def _tool(intent: Intent, there: dict[str, PlaneIntent]) -> Iterator[Finding]:
    declared = intent.management.tool
    if declared is None:
        return
    known = [
        f"{name}-{number}"
        for plane in there.values()
        for name in plane.entry
        if name in plane.devices
        for number in range(1, plane.devices[name].count + 1)
    ]
    if declared not in known:
        what, expected = "no device that may enter the out-of-band plane", as_shown(", ".join(known)) or "none there"
        yield Finding(("management", "tool"), what, expected, declared)


def _one(there: dict[str, PlaneIntent]) -> Iterator[Finding]:
    first, *others = there or ("",)
    for name in others:
        what, expected = "a second out-of-band plane", "one for the site: each port has one place"
        yield Finding(("planes", name, "fabric"), what, expected, name, also=("planes", first, "fabric"))


def _hosts(intent: Intent, there: dict[str, PlaneIntent]) -> Iterator[Finding]:
    """A BMC without a port cannot be reached when the host is down; none is said, never forgotten."""
    for name, hosts in intent.hosts.items():
        path: Path = ("hosts", name)
        if there and hosts.out_of_band is None:
            hint = "out_of_band: [bmc] cables it; out_of_band: [] says that these hosts have none"
            yield Finding(path, "their BMCs have no port on the out-of-band plane", "out_of_band: [bmc]", hint=hint)
        if not there and hosts.out_of_band:
            what, expected = "ports on an out-of-band plane that the site has not", "a plane on a fabric of design tree"
            yield Finding((*path, "out_of_band"), what, expected, ", ".join(hosts.out_of_band))
        for number, port in enumerate(hosts.out_of_band or ()):
            if port in (hosts.out_of_band or ())[:number]:
                yield Finding((*path, "out_of_band", number), "a port that is named twice", "each port once", port)
        yield from _shared(path, hosts)
        for plane in there:
            if plane in hosts.nics:
                hint = "out_of_band names ports of BMCs and DPUs; hosts themselves are not on this plane"
                yield Finding((*path, "nics", plane), "NIC ports on an out-of-band plane", "none", plane, hint)


def _shared(path: Path, hosts: HostGroupIntent) -> Iterator[Finding]:
    """A BMC that shares a port is one that is there, on a port that is there."""
    if hosts.bmc_shares is None:
        return
    if BMC not in (hosts.out_of_band or ()):
        what, hint = "a shared port of BMCs that these hosts have not", f"out_of_band: [{BMC}] says that they have some"
        yield Finding((*path, "bmc_shares"), what, f"{BMC} in out_of_band", hosts.bmc_shares, hint)
    if hosts.bmc_shares not in hosts.nics:
        what = "no plane that these hosts have NIC ports on"
        yield Finding((*path, "bmc_shares"), what, f"one of {', '.join(hosts.nics) or 'none'}", hosts.bmc_shares)


def _names(intent: Intent, there: dict[str, PlaneIntent]) -> Iterator[Finding]:
    """Devices have names of their own: they stand beside hosts and switches in the cabling plan."""
    for name, plane in there.items():
        taken: dict[str, Path] = {hosts: ("hosts", hosts) for hosts in intent.hosts}
        taken |= {
            bmc_group(hosts, port): ("hosts", hosts, "out_of_band", number)
            for hosts, each in intent.hosts.items()
            for number, port in enumerate(each.out_of_band or ())
        }
        for key in plane.devices:
            path: Path = ("planes", name, "devices", key)
            if key in taken:
                yield Finding(path, "devices called like others", "another name", key, also=taken[key])
            if key in (SWITCHES, *_ROLES) or key in plane.networks:
                what = "devices called like switches, or like a network of flows"
                yield Finding(path, what, "another name", key)


_ROLES = ("leaf", "spine", "core")

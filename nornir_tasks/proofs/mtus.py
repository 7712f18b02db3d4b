"""MTU: equal at both ends of each cable between switches, and never less than what hosts send over it.

Where a system gives each class an MTU of its own, every class takes what the port takes. Hosts of a plane have one MTU:
they talk to one another.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.links import Circuit, Link
from nornir_tasks.platforms.lossless import Setting
from nornir_tasks.proofs.cables import ATTACHED, UNUSED, Read, Variables, is_unused
from nornir_tasks.proofs.treatment import Ports
from nornir_tasks.proofs.verdicts import Broken, Outcome, Place, Statement, Tally

NAME = "mtu"
NO_VARIABLES = "to hosts of which there are no variables"
UNCHECKED = "no MTU is checked at either end"

_SVI = re.compile(r"(?i)vlan(\d+)")


def judge(read: Read) -> Outcome:
    """Every cable that is used, and every host's MTU among those of its plane."""
    return _Judge(read).outcome()


@dataclass(slots=True)
class _Judge:
    read: Read
    tally: Tally = field(default_factory=Tally)
    sent: dict[tuple[str, str, str], Statement] = field(default_factory=dict)
    """(plane, host, its interface) -> what it says of its MTU."""
    bytes_of: dict[tuple[str, str, str], int] = field(default_factory=dict)
    largest: dict[str, int] = field(default_factory=dict)
    """Fabric -> the largest packet that a host sends over it."""

    def outcome(self) -> Outcome:
        read, tally = self.read, self.tally
        self._hosts()
        for link in read.network.links:
            circuits = read.network.circuits_on(link)
            if is_unused(read.network, link):
                tally.skipped[UNUSED] += 1
            elif read.is_attached(link):
                tally.skipped[ATTACHED] += 1
            elif reason := self._unread(link):
                tally.count((), (reason,))
            elif link.kind == "host" and link.lower.device not in read.hosts:
                tally.skipped[read.no_hosts or NO_VARIABLES] += 1
            else:
                self._cable(link, circuits)
        tally.broken += self._apart()
        return tally.outcome(NAME, "cables")

    def _unread(self, link: Link) -> str:
        for end in (link.upper, link.lower):
            if end.device in self.read.unreachable:
                return f"{end.device} could not be read: {self.read.unreachable[end.device]}"
            ports = self.read.ports.get(end.device)
            if ports is not None and end.port not in ports.interfaces and (doubts := ports.doubts(end.port)):
                return doubts[0]
        return ""

    def _cable(self, link: Link, circuits: tuple[Circuit, ...]) -> None:
        pairs = [pair for circuit in circuits for pair in self._ends(link, circuit)]
        if link.kind == "peer":
            lower, upper = (self._carrier(each.device, each.port) for each in (link.lower, link.upper))
            pairs = [_Pair(where_of(link), lower, upper)] if None not in (lower[0], upper[0]) else []
        if not pairs:
            self.tally.skipped[UNCHECKED] += 1
            return
        broken = [each for pair in pairs if (each := pair.broken()) is not None]
        broken += [each for end in (link.upper, link.lower) for each in self._classes(end.device, end.port)]
        doubts = (
            each
            for end in (link.upper, link.lower)
            if end.device in self.read.ports
            for each in self.read.ports[end.device].doubts(end.port)
        )
        self.tally.count(dict.fromkeys(broken), doubts)

    def _ends(self, link: Link, circuit: Circuit) -> Iterator["_Pair"]:
        where = where_of(link)
        upper = self._at_switch(link.upper.device, circuit)
        if link.kind != "host":
            lower = self._at_switch(link.lower.device, circuit)
            yield from (
                _Pair(where, one, other, self.largest.get(link.fabric))
                for one, other in zip(lower, upper, strict=False)
            )
            return
        name = circuit.interface(link.lower.device)
        found = self.sent.get((circuit.owner, link.lower.device, link.lower.port))
        if found is None:
            at = Place(link.lower.device, link.lower.port)
            found = Statement(at, "no MTU", variable=f"rail_interfaces_rails and bond_interfaces_bonds: no {name}")
            yield _Pair(where, (None, found), upper[0] if upper else (None, found))
            return
        sent = self.bytes_of[circuit.owner, link.lower.device, link.lower.port], found
        yield from (_Pair(where, sent, each) for each in upper)

    def _carrier(self, device: str, port: str) -> tuple[int | None, Statement]:
        """A port, or the group that it is a member of."""
        found = self.read.ports[device].interfaces
        own = found.get(port)
        group = found.get(own.member.group) if own is not None and own.member is not None else None
        name, size = (port, own.mtu_bytes if own else None) if group is None else (group.name, group.mtu_bytes)
        return size, Statement(Place(device, name), f"MTU {size}", Setting("mtu", name))

    def _at_switch(self, device: str, circuit: Circuit) -> list[tuple[int | None, Statement]]:
        """The interfaces of a switch that a packet of this circuit passes: port or group, and the VLAN's gateway."""
        ports = self.read.ports[device]
        port = circuit.link.end(device).port
        name = circuit.interface(device)
        own = ports.interfaces.get(port)
        if own is None:
            return [(None, Statement(Place(device, port), "no line of this port", Setting("mtu", port)))]
        group = ports.interfaces.get(own.member.group) if own.member is not None else None
        carrier = own if group is None else group
        vlan = circuit.use.tag or carrier.access_vlan or carrier.native_vlan
        found = [ports.interfaces.get(name) if name != port else carrier]
        found += [each for each in (_svi(ports, vlan),) if each is not None and carrier.address is None]
        return [
            (each.mtu_bytes, Statement(Place(device, each.name), f"MTU {each.mtu_bytes}", Setting("mtu", each.name)))
            if each is not None
            else (None, Statement(Place(device, name), "no line of this interface", Setting("mtu", name)))
            for each in found
            if each is None or each.mtu_bytes is not None
        ]

    def _classes(self, device: str, port: str) -> Iterator[Broken]:
        """Classes with an MTU of their own, where the system has such."""
        ports = self.read.ports.get(device)
        if ports is None or not ports.switch.has_class_mtu or port not in ports.interfaces:
            return
        own, qos = ports.interfaces[port], ports.switch.config.qos
        wanted, at = own.mtu_bytes, Place(device, port)
        if wanted is None or qos is None:
            return
        least = qos.lossless_mtu_bytes or 0
        if least >= wanted and "class mtu" not in ports.effects(port):
            return
        lines = ports.lines_of("class mtu", port)
        stated = Statement(at, f"a class takes {least} B", Setting("class mtu", port), line=lines[0] if lines else ())
        yield Broken(
            device,
            "a class takes smaller packets than its port",
            (Statement(at, f"MTU {wanted}", Setting("mtu", port)), stated),
        )

    # -- hosts -----------------------------------------------------------------------------------------------------

    def _hosts(self) -> None:
        for nic in self.read.network.nics:
            variables = self.read.hosts.get(nic.host)
            for circuit in self.read.network.circuits_on(nic.link) if variables is not None else ():
                found = _mtu_of(variables or {}, nic.port, circuit.interface(nic.host), circuit.owner)
                if found is not None:
                    key = circuit.owner, nic.host, nic.port
                    size, variable = found
                    self.sent[key] = Statement(Place(nic.host, nic.port), f"MTU {size}", variable=variable)
                    self.bytes_of[key] = size
                    self.largest[nic.link.fabric] = max(size, self.largest.get(nic.link.fabric, 0))

    def _apart(self) -> Iterator[Broken]:
        """Hosts with another MTU than most on their plane."""
        by_plane: dict[str, Counter[int]] = {}
        for (plane, _, _), size in self.bytes_of.items():
            by_plane.setdefault(plane, Counter())[size] += 1
        for key, size in self.bytes_of.items():
            usual = by_plane[key[0]].most_common(1)[0][0]
            if size != usual:
                other = next(
                    self.sent[each] for each, found in self.bytes_of.items() if each[0] == key[0] and found == usual
                )
                yield Broken(key[1], f"another MTU than most hosts on plane {key[0]} have", (self.sent[key], other))


def where_of(link: Link) -> str:
    """Both ends, in the direction of a packet from a host."""
    return f"{link.lower.device} {link.lower.port} to {link.upper.device} {link.upper.port}"


def _mtu_of(variables: Variables, port: str, interface: str, plane: str) -> tuple[int, str] | None:
    """What a host sends at most, and the variable that says so. None: no variable names this interface."""
    for rail in variables.get("rail_interfaces_rails", ()):
        if rail["name"] == interface:
            return rail["mtu_bytes"], f"rail_interfaces_rails: {interface} mtu_bytes = {rail['mtu_bytes']}"
    for bond in variables.get("bond_interfaces_bonds", ()):
        if any(each["name"] == port for each in bond["members"]):
            for each in bond["planes"]:
                if each["plane"] == plane:
                    name = f"bond_interfaces_bonds: {each['interface']} mtu_bytes"
                    return each["mtu_bytes"], f"{name} = {each['mtu_bytes']}"
    return None


def _svi(ports: Ports, vlan: int | None) -> Interface | None:
    found: Mapping[str, Interface] = ports.interfaces
    names = (name for name in found if (svi := _SVI.fullmatch(name)) is not None and int(svi[1]) == vlan)
    return next((found[name] for name in names), None) if vlan is not None else None


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two interfaces that one packet passes, one after the other."""

    where: str
    sent: tuple[int | None, Statement]
    taken: tuple[int | None, Statement]
    largest: int | None = None
    """Between switches: the largest packet of hosts."""

    def broken(self) -> Broken | None:
        (sent, one), (taken, other) = self.sent, self.taken
        stated = one, other
        if sent is None or taken is None:
            return Broken(self.where, "no MTU at one end", stated)
        is_host = one.setting is None
        if is_host and taken < sent:
            return Broken(self.where, "the host sends larger packets than the switch takes", stated)
        if not is_host and sent != taken:
            return Broken(self.where, "another MTU at each end", stated)
        if not is_host and self.largest is not None and taken < self.largest:
            return Broken(self.where, f"less than the {self.largest} B that hosts send", stated)
        return None

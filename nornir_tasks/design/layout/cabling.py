"""Connections between ports: every place follows from declared identity, so growth moves no cable.

On a leaf, hosts take ports from the first upwards in the order of their number; uplinks take the last ports, one after
the other to the spines in turn. A leaf's place on a spine follows from its group and rail; a spine's place on a core
follows from its pod. Places of future hosts and leaf groups are reserved, without a link.

A fabric in several copies is cabled copy by copy in this way; only the cages of the hosts' NICs are common to all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.demand.fabric_demand import AttachedEnd
from nornir_tasks.design.layout import assembled
from nornir_tasks.design.layout.link_types import Joint, Joints, end_of
from nornir_tasks.design.layout.port_allocation import Panel
from nornir_tasks.design.layout.sections import Section
from nornir_tasks.design.layout.twin_port_ends import End
from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.catalogue import Slot
from nornir_tasks.design.model.links import ASSEMBLY, Cable, Endpoint, Link, Make, NicPort
from nornir_tasks.design.model.media import RJ45
from nornir_tasks.design.model.network import ROLES, Device
from nornir_tasks.design.model.sizing import Layout


@dataclass(frozen=True, slots=True)
class Cabling:
    """Switches (without loopbacks and ASNs), links, cables and the hosts' NIC ports."""

    devices: tuple[Device, ...]
    links: tuple[Link, ...]
    cables: tuple[Cable, ...]
    nics: tuple[NicPort, ...]


@dataclass(frozen=True, slots=True)
class Ends:
    """The ports of one kind of switch in one direction, ready to be cabled."""

    end: End
    """The kind of end, for which the lanes were chosen."""
    slots: tuple[Slot, ...]
    names: tuple[str, ...]

    def at(self, device: str, position: int) -> Endpoint:
        """The port at this place."""
        return Endpoint(device, self.names[position], self.slots[position])


def cable_up(sections: Sequence[Section], facts: Mapping[str, OsFacts], joints: Sequence[Joints]) -> Cabling:
    """Every switch, link, cable and NIC port of the present fabric (``hosts.count``).

    ``joints``: the joints of each section; those above the leaves are the same in all.
    """
    makes: dict[str, Make] = {}
    of_sections = [
        _copies(each, joined, facts, makes)[: each.layout.copies_there]
        for each, joined in zip(sections, joints, strict=True)
    ]
    leaves = [(cabler, leaf) for copy in zip(*of_sections, strict=True) for cabler in copy for leaf in cabler.leaves()]
    spines = [(above, spine) for above in of_sections[0] for spine in above.spines()]
    cores = [core for above in of_sections[0] for core in above.cores()]
    links = [link for cabler, leaf in leaves for link in cabler.uplinks(leaf)]
    links += [link for cabler, leaf in leaves for link in cabler.peer_links(leaf)]
    links += [link for above, spine in spines for link in above.core_links(spine)]
    levels = {each.name: each.level for each in (*(spine for _, spine in spines), *cores)}
    cables, nics = list(assembled.cables(links, joints[0], levels, makes)), list[NicPort]()
    for cablers, joined in zip(of_sections, joints, strict=True):
        hosts = [nic for owner, leaf in leaves if owner in cablers for nic in owner.nics(leaf)]
        cables += assembled.cables([nic.link for nic in hosts], joined, levels, makes)
        links += [nic.link for nic in hosts]
        nics += sorted(hosts, key=lambda nic: (nic.host_index, nic.nic, nic.leg))
    devices = (*(leaf for _, leaf in leaves), *(spine for _, spine in spines), *cores)
    return Cabling(devices, tuple(links), tuple(cables), tuple(nics))


def _copies(
    section: Section, joints: Joints, facts: Mapping[str, OsFacts], makes: dict[str, Make]
) -> "tuple[_Cabler, ...]":
    """One for each copy of the fabric; equal switches have the same ports in all."""
    layout = section.layout
    numbers = range(1, layout.copies + 1) if layout.copies > 1 else (None,)
    first = _Cabler(section.choices, layout, facts, joints, makes=makes)
    return tuple(replace(first, copy=number) for number in numbers)


def planned_switches(
    sections: Sequence[Section], facts: Mapping[str, OsFacts], joints: Sequence[Joints]
) -> tuple[Device, ...]:
    """Every switch of the fabric laid out for ``hosts.max``: leaves by section, then spines and cores."""
    cablers = [
        replace(each, is_whole=True)
        for section, joined in zip(sections, joints, strict=True)
        for each in _copies(section, joined, facts, {})
    ]
    above = [each for each in cablers if each.choices is cablers[0].choices]
    leaves = (leaf for each in cablers for leaf in each.leaves())
    return (
        *leaves,
        *(spine for each in above for spine in each.spines()),
        *(c for each in above for c in each.cores()),
    )


@dataclass(frozen=True, eq=False)
class _Cabler:
    choices: Choices
    layout: Layout
    facts: Mapping[str, OsFacts]
    joints: Joints
    kept: dict[tuple[int, str], Ends] = field(default_factory=dict)
    planned: dict[tuple[int, int], tuple[Slot, ...]] = field(default_factory=dict)
    makes: dict[str, Make] = field(default_factory=dict)
    """Cable -> how it is made; assemblies are left out."""
    copy: int | None = None
    """The copy of the fabric, from 1; None if there is only one."""
    is_whole: bool = False
    """Leaf groups are those of ``hosts.max``, else those that have hosts."""

    def leaves(self) -> Iterator[Device]:
        """The leaves of every group that has hosts."""
        before = self.layout.groups_before
        for group in range(before + 1, before + self._groups() + 1):
            for rail in self.layout.leaf_rails:
                spine_group = self.layout.spine_group(group, rail)
                choice = self.choices.leaf_of(group, rail)
                yield self._device(self.leaf_name(group, rail), choice, 0, index=group, rail=rail, group=spine_group)

    def spines(self) -> Iterator[Device]:
        """The spines of every pod that has hosts: every leaf is connected to all that are there."""
        layout = self.layout
        groups = layout.pod(self._groups()) if layout.pods else layout.spine_groups
        for index in range(1, groups * layout.spines_per_group + 1):
            group, place = (index - 1) // layout.spines_per_group + 1, (index - 1) % layout.spines_per_group
            if place >= self._spines_there:
                continue
            choice = self.choices.spine_of(index)
            yield self._device(self.name(1, index), choice, 1, index=index, rail=None, group=group)

    def cores(self) -> Iterator[Device]:
        """All cores; those of one plane count as a group."""
        for index in range(1, self.layout.cores + 1):
            if self.choices.core is not None and self.layout.pods is not None:
                plane = (index - 1) // self.layout.pods.cores_per_plane + 1
                if plane > self._spines_there:
                    return
                yield self._device(self.name(2, index), self.choices.core, 2, index=index, rail=None, group=plane)

    def leaf_name(self, group: int, rail: int | None) -> str:
        """``leaf-g1-r0``; ``leaf-g1`` where one leaf serves all rails; ``leaf-c2-g1-r0`` in the second copy."""
        return self.name(0, self._beside(group, rail))

    def _beside(self, group: int, rail: int | None) -> str:
        """``g1-r0``; ``g1`` where one leaf serves all rails; of a pair ``g1-a``."""
        if self.layout.peer_links:
            return f"g{group}-{'ab'[rail or 0]}"
        return f"g{group}" if rail is None else f"g{group}-r{rail}"

    def name(self, level: int, which: int | str) -> str:
        """``spine-1``, in the second copy ``spine-c2-1``, after the fabric's name prefix."""
        role = ROLES[level] if self.copy is None else f"{ROLES[level]}-c{self.copy}"
        return self.choices.demand.fabric.switch_name(f"{role}-{which}")

    def uplinks(self, leaf: Device) -> Iterator[Link]:
        """The links from one leaf to its spines, in turn."""
        layout, joint = self.layout, self.joints.spine
        lower = self.ends(self.choices.leaf_of(leaf.index, leaf.rail), "leaf-up")
        first = (leaf.spine_group - 1) * layout.spines_per_group
        for position in range(layout.uplinks):
            turn, spine = divmod(position, layout.spines_per_group)
            if spine >= self._spines_there:
                continue
            upper = self.ends(self.choices.spine_of(first + spine + 1), "spine-down")
            place = layout.spine_place(leaf.index, leaf.rail, turn)
            yield self._fabric_link(
                f"{leaf.name}-u{position + 1}",
                (upper.at(self.name(1, first + spine + 1), place), upper),
                (lower.at(leaf.name, position), lower),
                (joint, layout.uplink_gbps, position + 1),
            )

    def peer_links(self, leaf: Device) -> Iterator[Link]:
        """The links between both leaves of a pair, seen from the first of them."""
        joint = self.joints.peer
        if joint is None or leaf.rail != 0:
            return
        ends = self.ends(self.choices.leaf_of(leaf.index, leaf.rail), "leaf-peer")
        for position in range(self.layout.peer_links):
            yield self._fabric_link(
                f"{leaf.name}-p{position + 1}",
                (ends.at(leaf.name, position), ends),
                (ends.at(self.leaf_name(leaf.index, 1), position), ends),
                (joint, self.layout.uplink_gbps, position + 1),
                kind="peer",
            )

    def core_links(self, spine: Device) -> Iterator[Link]:
        """The links from one spine to the cores of its position, in turn."""
        pods, core, joint = self.layout.pods, self.choices.core, self.joints.core
        if pods is None or core is None or joint is None:
            return
        lower = self.ends(self.choices.spine_of(spine.index), "spine-up")
        upper = self.ends(core, "core-down")
        plane = (spine.index - 1) % self.layout.spines_per_group
        for position in range(pods.spine_uplinks):
            turn, index = divmod(position, pods.cores_per_plane)
            name = self.name(2, plane * pods.cores_per_plane + index + 1)
            yield self._fabric_link(
                f"{spine.name}-u{position + 1}",
                (upper.at(name, (spine.spine_group - 1) * pods.parallel + turn), upper),
                (lower.at(spine.name, position), lower),
                (joint, pods.core_gbps, position + 1),
            )

    def nics(self, leaf: Device) -> Iterator[NicPort]:
        """The NIC ports of the present hosts of this leaf's group, with the links from the leaf down to them."""
        demand, layout = self.choices.demand, self.layout
        ends = self.ends(self.choices.leaf_of(leaf.index, leaf.rail), "leaf-down")
        if demand.attached is not None:
            yield from self._attached(leaf, ends, demand.attached.rows[leaf.index - 1])
            return
        first = (leaf.index - layout.groups_before - 1) * layout.hosts_per_group
        for place, (group, index) in demand.hosts_at(first, layout.hosts_per_group):
            for offset in range(layout.nics_per_host):
                position = place * layout.nics_per_host + offset
                nic = offset * len(layout.leaf_rails) + (leaf.rail or 0)
                lower = self._nic_port(group, index, nic)
                link = self._host_link(ends, ends.at(leaf.name, position), lower, position + 1)
                yield NicPort(lower.device, index, nic, link, (self.copy or 1) - 1)

    def _attached(self, leaf: Device, ends: Ends, row: Sequence[AttachedEnd | None]) -> Iterator[NicPort]:
        """What has a port on an access switch of an out-of-band plane."""
        for place, end in enumerate(row):
            if end is not None and end.is_there:
                lower = Endpoint(end.device, end.port)
                link = self._host_link(ends, ends.at(leaf.name, place), lower, place + 1)
                yield NicPort(end.device, end.number, 0, link)

    def _nic_port(self, group: str, index: int, nic: int) -> Endpoint:
        """``rail0``; the port on the second copy of the fabric is ``rail0c2``."""
        nics, host = self.choices.demand.nics, f"{group}-{index}"
        name = f"{self.choices.demand.port_names_of(group)}{nic}"
        if self.copy is None:
            return Endpoint(host, name)
        slot = Slot(nic, self.copy - 1, nics.ports, nics.speed, self.nic_lanes)
        return Endpoint(host, f"{name}c{self.copy}", slot, name)

    @property
    def nic_lanes(self) -> int:
        """Lanes of a port of a NIC; 0: of an undeclared model."""
        nic = self.joints.nic
        return 0 if nic is None else self.joints.host.lanes[nic]

    def _host_link(self, ends: Ends, upper: Endpoint, lower: Endpoint, place: int) -> Link:
        name, made = f"{upper.device}-h{place}", self.joints.host.make(ends.end, self.joints.nic)
        return Link(
            name=name,
            kind="host",
            fabric=self.choices.demand.fabric_name,
            upper=upper,
            lower=lower,
            place=place,
            speed_gbps=self.choices.demand.nics.speed,
            cable=self._cable(name, made, (upper, ends.end), (lower, self.joints.nic)),
            fec=self.joints.host.fec,
            fec_is_in_module=self.joints.host.fec_is_in_module,
            negotiate=self.joints.host.negotiate(ends.end, self.joints.nic),
            is_twisted_pair=ends.end.cage == RJ45,
        )

    def _fabric_link(
        self,
        name: str,
        upper: tuple[Endpoint, Ends],
        lower: tuple[Endpoint, Ends],
        how: tuple[Joint, int, int],
        kind: Literal["fabric", "peer"] = "fabric",
    ) -> Link:
        joint, speed_gbps, place = how
        made = joint.make(upper[1].end, lower[1].end)
        return Link(
            name=name,
            kind=kind,
            fabric=self.choices.demand.fabric_name,
            upper=upper[0],
            lower=lower[0],
            place=place,
            speed_gbps=speed_gbps,
            cable=self._cable(name, made, (upper[0], upper[1].end), (lower[0], lower[1].end)),
            fec=joint.fec,
            fec_is_in_module=joint.fec_is_in_module,
            negotiate=joint.negotiate(upper[1].end, lower[1].end),
            is_twisted_pair=upper[1].end.cage == RJ45,
        )

    def _cable(self, link: str, made: Make, upper: tuple[Endpoint, End], lower: tuple[Endpoint, End | None]) -> str:
        """The cable that a link is part of: a jumper has the link's name, a splitter its connector's."""
        if made is ASSEMBLY:
            return assembled.assembly_name(link, upper[0], lower[0])
        name = link
        for at, end in (upper, lower):
            if at.slot is not None and end is not None and end.legs > 1 and made.kind == "splitter":
                name = f"{assembled.cage_name(at)}{'-' if at.nic else ''}c{at.slot.leg // end.legs + 1}"
        self.makes[name] = made
        return name

    def ends(self, choice: Choice, direction: str) -> Ends:
        """The ports of one kind of switch in one direction, made once."""
        key = (id(choice), direction)
        if key not in self.kept:
            self.kept[key] = self._ends(choice, direction)
        return self.kept[key]

    def _ends(self, choice: Choice, direction: str) -> Ends:
        layout, speed = self.layout, self.choices.demand.nics.speed
        core_gbps = layout.pods.core_gbps if layout.pods else None
        up_ports = layout.ports_up
        down_gbps, up_gbps, joint, counts = {
            "leaf-down": (speed, None, self.joints.host, (layout.hosts_per_group * layout.nics_per_host, 0)),
            "leaf-up": (speed, layout.uplink_gbps, self.joints.spine, (0, up_ports)),
            "leaf-peer": (speed, layout.uplink_gbps, self.joints.peer, (0, up_ports)),
            "spine-down": (layout.uplink_gbps, None, self.joints.spine, (layout.spine_places, 0)),
            "spine-up": (layout.uplink_gbps, core_gbps, self.joints.core, (0, self._core_uplinks)),
            "core-down": (core_gbps or 0, None, self.joints.core, (self._core_ports, 0)),
        }[direction]
        panel = Panel.of(choice, down_gbps, up_gbps)
        up = direction in ("leaf-up", "spine-up", "leaf-peer")
        slots = panel.uplinks(counts[1]) if up else panel.downlinks(counts[0])
        if direction.startswith("leaf-") and up:  # uplinks first, then the links to the other leaf of the pair
            slots = slots[: layout.uplinks] if direction == "leaf-up" else slots[layout.uplinks :]
        end = end_of(choice, (up_gbps or 0) if up else down_gbps, choice.up_ways if up else choice.down_ways)
        lanes = joint.lanes[end] if joint is not None else 0
        slots = tuple(Slot(each.number, each.leg, each.ways, each.speed_gbps, lanes) for each in slots)
        name = self.facts[choice.os].port_name
        names = tuple(name(each.number, each.leg, each.ways, each.lanes) for each in slots)
        return Ends(end, slots, names)

    @property
    def _spines_there(self) -> int:
        return self.layout.spines_per_group if self.is_whole else self.layout.spines_there

    @property
    def _core_uplinks(self) -> int:
        return self.layout.pods.spine_uplinks if self.layout.pods else 0

    @property
    def _core_ports(self) -> int:
        return self.layout.pods.parallel * self.layout.spine_groups if self.layout.pods else 0

    def _groups(self) -> int:
        if self.is_whole:
            return self.layout.leaf_groups
        return -(-self.choices.demand.hosts.count // self.layout.hosts_per_group)

    def _slots(self, choice: Choice, level: int) -> tuple[Slot, ...]:
        """Every port to which the layout assigns a cable, now or later; one object for all switches of a kind."""
        key = (id(choice), level)
        if key not in self.planned:
            leaf = ("leaf-down", "leaf-up", *(("leaf-peer",) if self.layout.peer_links else ()))
            every: tuple[tuple[str, ...], ...] = (leaf, ("spine-down", "spine-up"), ("core-down",))
            directions = [each for each in every[level] if each != "spine-up" or self.layout.pods]
            self.planned[key] = tuple(slot for each in directions for slot in self.ends(choice, each).slots)
        return self.planned[key]

    def _device(self, name: str, choice: Choice, level: int, *, index: int, rail: int | None, group: int) -> Device:
        return Device(
            name=name,
            fabric=self.choices.demand.fabric_name,
            level=level,
            role=ROLES[level],
            index=index,
            rail=rail,
            spine_group=group,
            os=choice.os,
            release=choice.release,
            model=choice.model.model,
            capabilities=choice.capabilities,
            pair=self.name(0, f"g{index}") if level == 0 and self.layout.peer_links else None,
            copy=self.copy,
            slots=self._slots(choice, level),
        )

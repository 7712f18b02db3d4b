"""Which port is joined to which: every place follows from declared identity, so growth moves no cable.

On a leaf, hosts take the ports from the first upwards in the order of their number; uplinks take the last ports, one
after the other to the spines in turn. On a spine, a leaf's place follows from its group and rail. Places of hosts and
leaf groups that are not there yet stay reserved: they have no link.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nornir_tasks.design.capabilities import OsFacts
from nornir_tasks.design.choices import Choice, Choices
from nornir_tasks.design.fabric import Cable, Device, Endpoint, HostNic, Link
from nornir_tasks.design.topology import Layout

PLANE = "compute"


@dataclass(frozen=True, slots=True)
class Cabling:
    """Switches, links and NICs, without addresses."""

    devices: tuple[Device, ...]
    links: tuple[Link, ...]
    cables: tuple[Cable, ...]
    nics: tuple[HostNic, ...]


def leaf_name(group: int, rail: int | None) -> str:
    """``leaf-g1-r0``; ``leaf-g1`` where one leaf serves all rails."""
    return f"leaf-g{group}" if rail is None else f"leaf-g{group}-r{rail}"


def spine_name(index: int) -> str:
    """``spine-1``."""
    return f"spine-{index}"


def host_name(group: str, index: int) -> str:
    """``gpu-1``."""
    return f"{group}-{index}"


def cable_up(choices: Choices, layout: Layout, facts: Mapping[str, OsFacts], host_mtu_bytes: int) -> Cabling:
    """Every switch, link, cable and NIC of the plane that is there now (``hosts.count``)."""
    cabler = _Cabler(choices, layout, facts, host_mtu_bytes)
    leaves, spines = tuple(cabler.leaves()), tuple(cabler.spines())
    fabric = [link for leaf in leaves for link in cabler.uplinks(leaf)]
    hosts = [each for leaf in leaves for each in cabler.host_links(leaf)]
    down, up = choices.plane.leaf, choices.plane.spine
    cables = [Cable(link.cable, up.medium, up.cable_m, (link.name,), 2) for link in fabric]
    cables += [Cable(link.cable, down.medium, down.cable_m, (link.name,), 2) for link, _ in hosts]
    nics = sorted((nic for _, nic in hosts), key=lambda nic: (nic.host_index, nic.rail))
    return Cabling((*leaves, *spines), (*fabric, *(link for link, _ in hosts)), tuple(cables), tuple(nics))


@dataclass(frozen=True)
class _Cabler:
    choices: Choices
    layout: Layout
    facts: Mapping[str, OsFacts]
    host_mtu_bytes: int

    def leaves(self) -> Iterator[Device]:
        """The leaves of every group that has hosts."""
        groups = -(-self.choices.plane.hosts.count // self.layout.hosts_per_group)
        for group in range(1, groups + 1):
            for rail in self.layout.leaf_rails:
                choice = self.choices.leaf_of(group, rail)
                spine_group = self.layout.spine_group(rail)
                yield _device(
                    leaf_name(group, rail), choice, tier="leaf", index=group, rail=rail, spine_group=spine_group
                )

    def spines(self) -> Iterator[Device]:
        """All spines: each leaf is spread over all of its group's from its first day."""
        for index in range(1, self.layout.spines + 1):
            group = (index - 1) // self.layout.spines_per_group + 1
            choice = self.choices.spine_of(index)
            yield _device(spine_name(index), choice, tier="spine", index=index, rail=None, spine_group=group)

    def uplinks(self, leaf: Device) -> Iterator[Link]:
        """The links from one leaf to its spines, in turn."""
        layout = self.layout
        ports = self.choices.leaf_of(leaf.index, leaf.rail).model.ports_at(layout.uplink_gbps)[-layout.uplinks :]
        place = layout.leaf_position(leaf.index, leaf.rail) * layout.parallel
        for position, port in enumerate(ports):
            index = (leaf.spine_group - 1) * layout.spines_per_group + position % layout.spines_per_group + 1
            spine = self.choices.spine_of(index)
            spine_port = spine.model.ports_at(layout.uplink_gbps)[place + position // layout.spines_per_group]
            name = f"{leaf.name}-u{position + 1}"
            yield Link(
                name=name,
                kind="fabric",
                plane=leaf.plane,
                upper=Endpoint(spine_name(index), self._port(spine, spine_port)),
                lower=Endpoint(leaf.name, self.facts[leaf.os].port_name(port)),
                place=position + 1,
                speed_gbps=layout.uplink_gbps,
                cable=name,
            )

    def host_links(self, leaf: Device) -> Iterator[tuple[Link, HostNic]]:
        """The links from one leaf down to the hosts of its group that are there, with the NIC at the other end."""
        hosts, layout = self.choices.plane.hosts, self.layout
        ports = self.choices.leaf_of(leaf.index, leaf.rail).model.ports_at(hosts.speed)
        first = (leaf.index - 1) * layout.hosts_per_group
        for place in range(min(layout.hosts_per_group, hosts.count - first)):
            for offset in range(layout.nics_per_host):
                position = place * layout.nics_per_host + offset
                rail = offset if leaf.rail is None else leaf.rail
                yield self._host_link(leaf, first + place + 1, rail, position, ports[position])

    def _host_link(self, leaf: Device, index: int, rail: int, position: int, port: int) -> tuple[Link, HostNic]:
        hosts = self.choices.plane.hosts
        host, nic_port = host_name(hosts.group, index), f"rail{rail}"
        upper = Endpoint(leaf.name, self.facts[leaf.os].port_name(port))
        name = f"{leaf.name}-h{position + 1}"
        link = Link(name, "host", leaf.plane, upper, Endpoint(host, nic_port), position + 1, hosts.speed, name)
        nic = HostNic(
            host=host,
            host_index=index,
            rail=rail,
            port=nic_port,
            leaf=leaf.name,
            leaf_port=upper.port,
            address="",
            gateway="",
            prefix_length=31,
            mtu_bytes=self.host_mtu_bytes,
            speed_gbps=hosts.speed,
        )
        return link, nic

    def _port(self, choice: Choice, number: int) -> str:
        return self.facts[choice.os].port_name(number)


def _device(name: str, choice: Choice, *, tier: str, index: int, rail: int | None, spine_group: int) -> Device:
    return Device(
        name=name,
        plane=PLANE,
        tier="leaf" if tier == "leaf" else "spine",
        index=index,
        rail=rail,
        spine_group=spine_group,
        os=choice.os,
        release=choice.release,
        model=choice.model.model,
        capabilities=choice.capabilities,
    )

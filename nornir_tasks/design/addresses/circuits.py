"""The use of each link: a fabric's routing on links between its switches, a plane on links to its hosts.

Addresses follow from the place of a link on its switch (:mod:`nornir_tasks.design.addresses.addressing`), the MTU from
the intent and the limits of both ends (:mod:`nornir_tasks.design.addresses.mtu`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from nornir_tasks.design.addresses.addressing import Addressing, dotted, in_copy, in_subnet
from nornir_tasks.design.addresses.mtu import agreed_bytes
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.demand.way_out import NEXT_HOP, WayOut
from nornir_tasks.design.model.links import Circuit, Link, NicPort, Use
from nornir_tasks.design.model.mlag import bond_of
from nornir_tasks.design.model.network import Device
from nornir_tasks.intent.core.unknown import UnknownValueError


@dataclass(frozen=True)
class Circuits:
    """Makes the circuits of one fabric and of the planes on it."""

    cuts: Sequence[Addressing]
    """Of each copy of the fabric."""
    devices: Mapping[str, Device]
    mtu_bytes: int
    """The intended MTU; a circuit's is the least of this and both ends' limits."""
    vrf: str | None = None
    """The VRF of the fabric's routing."""
    uses: dict[Use, Use] = field(default_factory=dict)

    def of_fabric(self, owner: str, links: Iterable[Link], *, is_numbered: bool) -> Iterator[Circuit]:
        """One circuit for each link between two switches, for the fabric's routing."""
        first: dict[str, int] = {}
        for link in links:
            lower, upper = self.devices[link.lower.device], self.devices[link.upper.device]
            agreed = agreed_bytes(self.mtu_bytes, lower.capabilities, upper.capabilities)
            use = self._shared(Use(owner, agreed, vrf=self.vrf))
            if not is_numbered:
                yield Circuit(link, use)
                continue
            if lower.name not in first:
                first[lower.name] = self._first(lower)
            even = first[lower.name] + 2 * (link.place - 1)
            yield Circuit(link, use, dotted(even), dotted(even + 1))

    def of_hosts(
        self, owner: str, nics: Iterable[NicPort], length: int | None, tag: int | None = None
    ) -> Iterator[Circuit]:
        """One circuit for each NIC port: the plane's rail of that number. ``length``: see ``HostBlocks.link``.

        Hosts that share a subnet are switched into a segment of their leaf, all others have a routed port.
        """
        segment = f"{owner}-hosts" if length is None else None
        for nic in nics:
            leaf = self.devices[nic.leaf]
            hosts = in_copy(self.cuts, leaf).hosts[owner]
            upper, lower, prefix_length = hosts.link(leaf.index, leaf.rail, nic.link.place - 1, length)
            agreed = agreed_bytes(self.mtu_bytes, leaf.capabilities)
            use = self._shared(Use(owner, agreed, prefix_length, nic.nic, vrf=self.vrf, tag=tag, segment=segment))
            yield Circuit(nic.link, use, dotted(upper), dotted(lower))

    def of_bonds(self, demand: Demand, nics: Iterable[NicPort]) -> Iterator[Circuit]:
        """One circuit for each port of a bond; all of a host have its one address.

        Untagged are packets of the plane that the ports are of, so that a host can boot over a single port; planes that
        share its ports are told apart by the tag of their VLAN.
        """
        owner, ports, subnet = demand.plane_name, demand.nics.ports_of_leaf, demand.own_subnet
        vlan = demand.plane.vlan_of(demand.group)
        segment = f"{owner}-{vlan[0] if vlan else 'hosts'}"
        number = demand.plane.host_vlan if vlan is None else vlan[1].id
        tag = None if demand.nics.ports_of is None else number
        for nic in nics:
            leaf, place = self.devices[nic.leaf], (nic.link.place - 1) // ports
            if demand.is_of_machines and demand.way_out is not None:
                upper, lower, length = _beyond(demand.way_out, nic.host_index)
            elif subnet is None:
                upper, lower, length = in_copy(self.cuts, leaf).hosts[owner].bond(leaf.index, place)
            else:
                upper, lower, length = in_subnet(subnet, place)
            agreed = agreed_bytes(self.mtu_bytes, leaf.capabilities)
            bond = bond_of(nic.port)
            use = Use(owner, agreed, length, vrf=self.vrf, tag=tag, segment=segment, bundle=bond)
            yield Circuit(nic.link, self._shared(use), dotted(upper), dotted(lower))

    def _first(self, device: Device) -> int:
        """The even address of a switch's first uplink."""
        if device.level == 0:
            block = in_copy(self.cuts, device).links.block(device.index, device.rail)
        else:
            block = in_copy(self.cuts, device).core_block(device.index)
        return int(block.network_address)

    def _shared(self, use: Use) -> Use:
        return self.uses.setdefault(use, use)


def _beyond(way: WayOut, number: int) -> tuple[int, int, int]:
    """(the gateway's address, the machine's own, prefix length) of the machine with this number beyond a way out."""
    if way.subnet is None or way.gateway is None:
        raise UnknownValueError  # never in an intent without mistakes
    return int(IPv4Address(way.gateway)), int(way.subnet[NEXT_HOP + number]), way.subnet.prefixlen

"""What a switch's configuration makes of bridge, bonds, VLANs and VRFs in its namespace.

One VLAN-aware bridge has all switched ports and groups; an interface of a VLAN is on it, as are those of subinterfaces
on their ports. A group is a bond. A gateway that both switches of a pair answer for is a macvlan of its own MAC address
on the VLAN's interface, as Cumulus Linux has it (Virtual-Router-Redundancy-VRR.md; ifupdown2, address-virtual).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..state import InterfaceState, SwitchState
from .form import Routing
from .names import ALWAYS_UP, BRIDGE, gateway_name, kernel_name, table_of, vrf_name
from .ports import FABRIC_MTU_BYTES, LOOPBACK_MTU_BYTES, Port, bond_words, mac_of, wanted_ports
from .surroundings import Surroundings

DEFAULT = "default"
_MONITORED_MS = 100
"""How often a bond looks at its ports' carriers."""
_HASH = "layer3+4"
_LAB_ONLY = "127."
"""Where management ports are reached from this machine, and not through the fabric."""
_OWN_PORT_MTU = frozenset({"nvue", "nxos"})
"""Systems with an MTU for switched frames at each port. EOS's is of routed interfaces alone (um-eos, MTU)."""


def all_ports(
    state: SwitchState, cabled: Mapping[str, bool], routing: Routing, around: Surroundings
) -> dict[str, Port]:
    """All interfaces of a switch's namespace by the kernel's names, those below others first."""
    return _Interfaces(state, cabled, routing, around).all()


class _Interfaces:
    def __init__(self, state: SwitchState, cabled: Mapping[str, bool], routing: Routing, around: Surroundings) -> None:
        self._state, self._routing, self._around = state, routing, around
        self._plain = wanted_ports(state, cabled)
        self._known = {each.name: each for each in state.interfaces}
        self._cabled = [self._known[name] for name in cabled if name in self._known]
        self._svis = [each for each in state.interfaces if each.svi_vlan is not None]
        groups = [each for each in state.interfaces if each.is_group]
        self._groups = groups
        self._switched = [each for each in (*self._cabled, *groups) if not each.is_routed and not each.group]

    def all(self) -> dict[str, Port]:
        found = {**dict(self._vrfs()), **dict(self._bridge()), **dict(self._bonds())}
        ports = {kernel_name(each.name): self._port(each) for each in self._cabled}
        found = {**found, **self._plain, **ports}
        for each in self._state.interfaces:
            if each.port and each.tag is not None and kernel_name(each.port) in found:
                found[kernel_name(each.name)] = self._tagged(each, kernel_name(each.port), each.tag, "off")
        for each in self._svis:
            found[kernel_name(each.name)] = self._svi(each)
        found.update(self._gateways(found))
        return found

    # -- one of them -----------------------------------------------------------------------------------------------

    def _vrfs(self) -> Iterator[tuple[str, Port]]:
        names = {each.vrf for each in self._state.interfaces} | {each.vrf for each in self._state.bgp}
        names |= {each.vrf for each in self._state.static_routes}
        for name in sorted(names - {DEFAULT}):
            own = (each for each in self._state.interfaces if each.is_loopback and each.vrf == name)
            addresses = frozenset(address for each in own if each.is_admin_up for address in each.addresses)
            options = (("table", str(table_of(name))),)
            yield vrf_name(name), Port(True, LOOPBACK_MTU_BYTES, addresses, kind="vrf", options=options)

    def _bridge(self) -> Iterator[tuple[str, Port]]:
        if not self._switched and not self._svis:
            return
        vlans = {each.svi_vlan for each in self._svis if each.svi_vlan is not None}
        answers = frozenset(
            (gateway.mac, number)
            for gateway in self._routing.gateways
            if (number := self._known[gateway.interface].svi_vlan) is not None
        )
        yield (
            BRIDGE,
            Port(
                True,
                FABRIC_MTU_BYTES,
                mac=self._around.mac,
                kind="bridge",
                vlans=frozenset((number, False) for number in vlans),
                answers=answers,
            ),
        )
        if any(not each.autostate for each in self._svis):
            yield ALWAYS_UP, Port(True, FABRIC_MTU_BYTES, kind="dummy", master=BRIDGE)

    def _bonds(self) -> Iterator[tuple[str, Port]]:
        for each in self._groups:
            mtu_bytes = self._mtu_bytes(each)
            port = Port(each.is_admin_up, mtu_bytes, kind="bond", options=self._bond_options(each))
            yield kernel_name(each.name), self._placed(each, port)

    def _bond_options(self, group: InterfaceState) -> tuple[tuple[str, str], ...]:
        members = [each for each in self._state.interfaces if each.group == group.name]
        has_lacp = any(each.lacp_active is not None for each in members) or not members
        system = self._around.systems.get(group.name, self._around.mac)
        values = {
            "mode": "802.3ad" if has_lacp else "balance-xor",
            "miimon": str(_MONITORED_MS),
            "xmit_hash_policy": _HASH,
            "lacp_active": "on" if any(each.lacp_active for each in members) or not members else "off",
            "lacp_rate": "fast" if any(each.lacp_is_fast for each in members) else "slow",
            "min_links": str(max(1, group.min_links)),
            "ad_actor_system": system,
            "ad_user_port_key": str(port_key(group)),
        }
        return tuple((word, values[word]) for word in bond_words(values["mode"]))

    def _port(self, interface: InterfaceState) -> Port:
        """A port with a cable."""
        plain = self._plain[kernel_name(interface.name)]
        group = self._known.get(interface.group)
        if interface.group and group is not None:
            master, mtu_bytes = kernel_name(group.name), self._mtu_bytes(group)
            return Port(plain.is_up, mtu_bytes, master=master)  # its MAC address is its group's
        return self._placed(interface, replace(plain, mtu_bytes=self._mtu_bytes(interface)))

    def _mtu_bytes(self, interface: InterfaceState) -> int:
        if interface.is_routed or self._state.os in _OWN_PORT_MTU:
            return interface.mtu_bytes
        return FABRIC_MTU_BYTES

    def _tagged(self, interface: InterfaceState, below: str, number: int, binding: str) -> Port:
        options = (("id", str(number)), ("bridge_binding", binding))
        mac = mac_of(interface.link_local)
        port = Port(interface.is_admin_up, interface.mtu_bytes, mac=mac, kind="vlan", options=options, below=below)
        return self._placed(interface, port)

    def _svi(self, interface: InterfaceState) -> Port:
        """Without a port that is up in its VLAN it is down, unless it is to be up always."""
        assert interface.svi_vlan is not None  # noqa: S101  (chosen by it)
        port = self._tagged(interface, BRIDGE, interface.svi_vlan, "on" if interface.autostate else "off")
        return replace(port, is_up=interface.is_admin_up and interface.has_vlan)

    def _gateways(self, found: Mapping[str, Port]) -> Iterator[tuple[str, Port]]:
        for gateway in self._routing.gateways:
            below = kernel_name(gateway.interface)
            port = found[below]
            addresses = frozenset(f"{each}/{128 if ':' in each else 32}" for each in gateway.addresses)
            made = Port(port.is_up, port.mtu_bytes, addresses, gateway.mac, kind="macvlan", below=below)
            name = gateway_name(gateway.interface, is_six=all(":" in each for each in gateway.addresses))
            yield name, replace(made, options=(("mode", "private"),), master=port.master)

    # -- where it belongs ------------------------------------------------------------------------------------------

    def _placed(self, interface: InterfaceState, port: Port) -> Port:
        """In the bridge with its VLANs, or with its addresses in its VRF."""
        if interface.is_routed:
            v6 = self._routing.addresses_v6.get(interface.name, ())
            addresses = frozenset(each for each in (*interface.addresses, *v6) if not each.startswith(_LAB_ONLY))
            master = "" if interface.vrf == DEFAULT else vrf_name(interface.vrf)
            return replace(port, addresses=addresses, master=master)
        if interface.name in self._around.closed:
            return replace(port, addresses=frozenset())
        untagged = interface.access_vlan if interface.access_vlan is not None else interface.native_vlan
        carried = interface.vlans & self._routing.vlans
        vlans = frozenset((number, number == untagged) for number in carried)
        is_peer_link = self._state.pair is not None and self._state.pair.peer_link == interface.name
        return replace(port, addresses=frozenset(), master=BRIDGE, vlans=vlans, learns=not is_peer_link)


_KEYS = 1024
"""A key has ten bits in Linux (drivers/net/bonding/bond_options.c, ad_user_port_key)."""


def port_key(group: InterfaceState) -> int:
    """By what LACP tells a group of a system from others; the same at both switches of a pair."""
    number = group.over_both or "".join(each for each in group.name if each.isdecimal())
    return int(number) % _KEYS if number.isdecimal() else zlib.crc32(group.name.encode()) % _KEYS

"""The answers of ``rev=operational``: the state of the switch, from the fabric and the running tree.

Shapes: Cumulus Linux docs (NVUE-API.md for interfaces and routes, Troubleshooting-BGP.md for neighbours), NVIDIA's own
NVUE client for ``system.version.product-release``. Keys that no source prints are marked (M).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ..fabric import FabricSim
from ..sessions import BgpSession
from ..spec import DeviceSpec
from ..state import BgpInstance, InterfaceState, SwitchState
from .adaptive import of_interface, of_switch
from .bridging import mac_table, of_member
from .counters import of_link, of_phy, of_queues, of_roce, transceivers, with_events
from .dialect import Dialect
from .environment import environment
from .extract import mac_address
from .gateways import of_svi
from .pair import checked, of_pair
from .ports import share
from .qos import EffectiveQos
from .services import ZTP, date_time, of_system, with_logins, with_peers
from .tables import Tables, shown_time
from .tree import Tree, get_or

_LLDP_TTL_S = 120
_RA_MS, _BGP_RA_MS = 600_000, 10_000
_AS_CONFIGURED = ("acl", "evpn", "maintenance", "nve")


class Operational:
    """One switch's operational tree, one top-level object at a time."""

    def __init__(self, device: DeviceSpec, fabric: FabricSim, dialect: Dialect) -> None:
        self._device, self._fabric, self._dialect = device, fabric, dialect

    def build(self, path: tuple[str, ...], running: Tree, state: SwitchState, uptime_s: float) -> Tree:
        """The operational tree as far as ``path`` needs it."""
        tables = functools.cache(lambda: Tables(self._fabric, self._device.name, _vrf_names(running)))
        parts: dict[str, Any] = {
            "system": lambda: self._system(running, state, uptime_s),
            "platform": lambda: self._platform(path),
            "interface": lambda: self._interfaces(running, state, path),
            "vrf": lambda: self._vrfs(running, state, path, tables),
            "bridge": lambda: self._bridge(running, state),
            "qos": lambda: self._qos(running),
            "router": lambda: self._router(running, tables),
            "mlag": lambda: self._mlag(running, path),
            "service": lambda: with_peers(running.get("service", {}), state),
            **{key: lambda key=key: running.get(key, {}) for key in _AS_CONFIGURED},
        }
        wanted = path[:1] or tuple(parts)
        return {key: parts[key]() for key in wanted if key in parts}

    # -- system and platform ---------------------------------------------------------------------------------------

    def _system(self, running: Tree, state: SwitchState, uptime_s: float) -> Tree:
        release, ntp = self._release(), get_or(running, {}, "system", "ntp")
        return {
            **{key: value for key, value in running.get("system", {}).items() if key != "message"},
            "message": get_or(running, {}, "system", "message"),
            **({"ntp": of_system(ntp, state)} if ntp else {}),
            **({"aaa": with_logins(aaa)} if (aaa := get_or(running, {}, "system", "aaa")) else {}),
            "ztp": ZTP,
            "build": f"Cumulus Linux {release}",
            self._dialect.date_time: date_time(running, state),
            "hostname": str(get_or(running, self._device.name, "system", "hostname")),
            "product-name": "Cumulus Linux",
            "uptime": int(uptime_s),
            "version": {"image": f"Cumulus Linux {release}", "product-release": release},
        }

    def _release(self) -> str:
        parts = self._device.release.split(".")
        return ".".join(parts if len(parts) > 2 else [*parts, "0"])

    def _platform(self, path: tuple[str, ...]) -> Tree:
        optics = {"transceiver": transceivers(self._fabric, self._device.name)} if path[1:2] == ("transceiver",) else {}
        return {
            **optics,
            "environment": environment(self._fabric, self._device.name),
            "asic-model": self._device.asic,
            "asic-vendor": "Mellanox Technologies",
            "manufacturer": "NVIDIA",
            "part-number": f"MSN-{self._device.model}",
            "product-name": self._device.model,
            "serial-number": self._device.serial,
            "system-mac": mac_address(self._device.name, "eth0"),
        }

    def _mlag(self, running: Tree, path: tuple[str, ...]) -> Tree:
        """What it is made of; what both compare is an object of its own, for those who ask for it."""
        if path[1:2] == ("consistency-checker",):
            return {"consistency-checker": {"global": checked(self._device.name, self._fabric)}}
        return of_pair(running, self._device.name, self._fabric)

    # -- interfaces ------------------------------------------------------------------------------------------------

    def _interfaces(self, running: Tree, state: SwitchState, path: tuple[str, ...]) -> Tree:
        """All, or the one that ``path`` names, with its counters: of all together they would be large."""
        qos = EffectiveQos(running, self._dialect)
        heard = {neighbor.local_port: neighbor for neighbor in self._fabric.lldp(self._device.name)}
        tree: Tree = {}
        for number, interface in enumerate(state.interfaces, start=1):
            if path[1:2] not in ((), (interface.name,)):
                continue
            settings = get_or(running, {}, "interface", interface.name)
            entry = self._interface(interface, running, number, share(self._device, running, interface.name))
            neighbor = heard.get(interface.name)
            if neighbor is not None:
                entry["lldp"] = {"state": "enabled", "neighbor": {neighbor.hostname: self._neighbor(neighbor)}}
            if interface.name.startswith("swp"):
                entry["qos"] = qos.of_interface(interface.name, settings.get("qos", {}))
                own = of_interface(running, interface.name, entry["link"]["speed"], self._device.asic, self._dialect)
                entry["router"] = {"adaptive-routing": own}
                if path[1:]:
                    self._count(entry, interface, qos)
            tree[interface.name] = entry
        return tree

    def _count(self, entry: Tree, interface: InterfaceState, qos: EffectiveQos) -> None:
        fabric, device = self._fabric, self._device.name
        counts = fabric.counted.shown(device, interface.name)
        entry["counters"] = {"qos": of_queues(counts)}
        entry["link"] |= {
            "stats": of_link(fabric, device, interface.name),
            "phy-detail": of_phy(fabric, device, interface),
        }
        own = entry["qos"]
        if qos.is_roce:
            lossless = sorted(map(int, own["pfc"].get("switch-priority", {})))
            own = {**own, "roce": {**own["roce"], "counters": of_roce(counts, lossless)}}
        entry["qos"] = {**own, "pfc-watchdog": with_events(own["pfc-watchdog"], counts)}

    def _interface(self, interface: InterfaceState, running: Tree, number: int, speed: str) -> Tree:
        settings = get_or(running, {}, "interface", interface.name)
        is_up = self._fabric.is_up(self._device.name, interface.name)
        link = settings.get("link", {})
        entry: Tree = {
            "ifindex": number,
            "type": settings.get("type", "swp" if interface.name.startswith("swp") else "loopback"),
            "link": {
                "admin-status": "up" if interface.is_admin_up else "down",
                "oper-status": "up" if is_up else "down",
                "mtu": interface.mtu_bytes,
                "mac-address": mac_address(self._device.name, interface.name),
                "state": {"up" if is_up else "down": {}},
                "speed": link.get("speed") or speed if is_up else "auto",
            },
            "lldp": {"state": get_or(settings, "enabled", "lldp", "state"), "neighbor": {}},
        }
        if interface.description:
            entry["description"] = interface.description
        own = ("127.0.0.1/8",) if interface.is_loopback else ()
        addresses: Tree = {address: {} for address in (*interface.addresses, *own)}
        if self._dialect.vrf == ("vrf",):
            entry |= {"ipv4": {"address": addresses}, "vrf": interface.vrf}
        else:
            entry["ip"] = {"address": addresses, "vrf": interface.vrf}
        for family, gateway in of_svi(running, settings, self._dialect, is_up=is_up).items():
            entry[family] |= gateway
        if bridging := of_member(settings, self._dialect, is_up=is_up):
            entry["bridge"] = {"domain": bridging}
        if interface.is_group:
            entry["bond"] = self._bond(interface, settings.get("bond", {}))
            if interface.over_both and (rows := checked(self._device.name, self._fabric, interface.name)):
                entry["bond"]["mlag"] = {"consistency-checker": rows}
        if interface.link_local:
            discovery = {"router-advertisement": self._advertisement(interface, settings)}
            entry.setdefault(self._dialect.advertisement[0], {})["neighbor-discovery"] = discovery
        return entry

    def _bond(self, interface: InterfaceState, settings: Tree) -> Tree:
        """Published as a table: Bonding-Link-Aggregation.md, `nv show interface bond1 bond`; ``mode`` is empty there.

        ``member`` are the ports in the kernel's bond, whether LACP uses them or not.
        """
        members = self._fabric.members(self._device.name, interface.name)
        return {
            "down-delay": settings.get("down-delay", 0),
            "lacp-bypass": settings.get("lacp-bypass", self._dialect.off),
            "lacp-rate": settings.get("lacp-rate", "fast"),
            "up-delay": settings.get("up-delay", 0),
            "member": {member.port: {} for member in members},
        }

    def _advertisement(self, interface: InterfaceState, settings: Tree) -> Tree:
        """Published: Neighbor-Discovery-ND.md, `nv show interface swp1 ip neighbor-discovery router-advertisement`.

        BGP sends advertisements to an interface neighbour every 10 s (FRRouting/frr, BGP_UNNUM_DEFAULT_RA_INTERVAL).
        """
        configured = get_or(settings, {}, *self._dialect.advertisement)
        by_itself = interface.advertises and self._dialect.switch not in configured
        return {
            self._dialect.switch: self._dialect.word(interface.advertises),
            "interval": configured.get("interval", _BGP_RA_MS if by_itself else _RA_MS),
        }

    def _neighbor(self, neighbor: Any) -> Tree:  # noqa: ANN401  (wiring's LldpNeighbor)
        """One LLDP neighbour; inner keys (M)."""
        return {
            "age": "30",
            "chassis": {"chassis-id": mac_address(neighbor.device, "eth0"), "system-name": neighbor.hostname},
            "port": {
                "description": neighbor.port_description or neighbor.port,
                "name": neighbor.port,
                "ttl": _LLDP_TTL_S,
                "type": "ifname",
            },
        }

    # -- bridges ---------------------------------------------------------------------------------------------------

    def _bridge(self, running: Tree, state: SwitchState) -> Tree:
        """Bridges as configured, with their ports: table of `nv show bridge domain br_default port vlan`; keys (M)."""
        domains: Tree = {name: dict(content) for name, content in get_or(running, {}, "bridge", "domain").items()}
        for interface in state.interfaces:
            for name in get_or(running, {}, "interface", interface.name, "bridge", "domain"):
                is_up = self._fabric.is_up(self._device.name, interface.name)
                native = interface.access_vlan or 1
                off = self._fabric.suspended(self._device.name, interface)
                vlans = {
                    str(number): {
                        "tag-state": "untagged" if number == native else "tagged",
                        "fwd-state": "forwarding" if is_up and number not in off else "disabled",
                    }
                    for number in sorted(interface.vlans)
                }
                port = {"state": "forwarding" if is_up else "disabled", "vlan": vlans}
                domains.setdefault(name, {}).setdefault("port", {})[interface.name] = port
        for name, domain in domains.items():
            domain["mac-table"] = mac_table(self._fabric, self._device.name, name)
        return {**running.get("bridge", {}), "domain": domains}

    # -- routing ---------------------------------------------------------------------------------------------------

    def _vrfs(self, running: Tree, state: SwitchState, path: tuple[str, ...], tables: Callable[[], Tables]) -> Tree:
        tree: Tree = {}
        for vrf in _vrf_names(running):
            if path[1:2] not in ((), (vrf,)):
                continue
            router: Tree = {}
            if path[2:4] in ((), ("router",), ("router", "rib")):
                router["rib"] = {"ipv4": {"route": tables().routes(vrf, path)}}
            instance = next((bgp for bgp in state.bgp if bgp.vrf == vrf), None)
            if instance is not None and path[2:4] != ("router", "rib"):
                router["bgp"] = self._bgp(instance, self._fabric.sessions(self._device.name, vrf))
            tree[vrf] = {"router": router}
        return tree

    def _bgp(self, instance: BgpInstance, sessions: Iterable[BgpSession]) -> Tree:
        return {
            "autonomous-system": instance.asn,
            "router-id": instance.router_id,
            "address-family": {"ipv4-unicast": {}},  # the reference's column "operational" is empty
            "neighbor": {session.neighbor.address: self._session(session) for session in sessions},
        }

    def _session(self, session: BgpSession) -> Tree:
        is_up = session.state == "established"
        on, off = self._dialect.on, self._dialect.off
        neighbor = session.neighbor
        timers = {
            "keepalive": session.keepalive_s or neighbor.keepalive_s,
            "hold": session.hold_s or neighbor.hold_s,
            "connection-retry": 10,
            "route-advertisement": "none",
        }
        entry: Tree = {
            "state": "established" if is_up else "active" if session.state == "active" else "idle",
            "local-as": {"asn": session.local_as},
            "type": "unnumbered" if session.neighbor.interface else "numbered",
            "timers": timers,
            "address-family": {
                "ipv6-unicast" if session.is_ipv6 else "ipv4-unicast": {
                    "rx-prefix": session.prefixes_accepted,
                    "tx-prefix": session.prefixes_sent,
                    "prefix-limits": {"inbound": {"maximum": neighbor.prefix_limit or "none"}},
                }
            },
            "bfd": {self._dialect.switch: on if neighbor.bfd else off},
            "ttl-security": {self._dialect.switch: off},
        }
        if neighbor.ttl_security_hops is not None:
            entry["ttl-security"] = {self._dialect.switch: on, "hops": neighbor.ttl_security_hops}
        if neighbor.remote_as is not None:
            entry["remote-as"] = neighbor.remote_as
        if neighbor.description:
            entry["description"] = neighbor.description
        if neighbor.peer_group:
            entry["peer-group"] = neighbor.peer_group
        if is_up:
            entry |= {"uptime": shown_time(session.since_s), "peer-router-id": session.peer_router_id}
        return entry

    def _router(self, running: Tree, tables: Callable[[], Tables]) -> Tree:
        """``router`` as configured, plus next hops."""
        adaptive = of_switch(running, self._device.asic, self._dialect)
        rib = tables().next_hops(self._dialect.on)
        return {**running.get("router", {}), "adaptive-routing": adaptive, "nexthop": {"rib": rib}}

    # -- quality of service ----------------------------------------------------------------------------------------

    def _qos(self, running: Tree) -> Tree:
        qos = EffectiveQos(running, self._dialect)
        configured = running.get("qos", {})

        def profiles(kind: str) -> list[str]:
            return sorted({"default-global", *configured.get(kind, {})})

        return {
            **configured,
            "roce": qos.roce(),
            "pfc-watchdog": qos.watchdog(),
            "traffic-pool": qos.pools(),
            "mapping": {name: qos.mapping(name) for name in profiles("mapping")},
            "egress-queue-mapping": {"default-global": qos.queues()},
            "egress-scheduler": {name: qos.scheduler(name) for name in profiles("egress-scheduler")},
            "congestion-control": {name: qos.congestion(name) for name in profiles("congestion-control")},
            "pfc": {name: found for name in profiles("pfc") if (found := qos.pfc(name))},
        }


def _vrf_names(running: Tree) -> list[str]:
    return sorted({"default", "mgmt", *running.get("vrf", {})})

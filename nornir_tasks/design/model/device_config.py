"""The common model: one switch's configuration, vendor-neutral in shape.

Planes contribute to it, ``realise`` adjusts it to OS release and ASIC, templates render it, parsers read it back. Every
value can be read from a switch, so equality is exact: ``parse(render(x)) == (x, nothing)``. What a switch cannot show
(a link's far end, a cable's length, a class's name) is in :mod:`nornir_tasks.design.model.network`. The parts, a module
for each subject, are in :mod:`nornir_tasks.design.config`.

Tuples are sorted by their key, so equal configurations are equal objects. What no OS line holds is ``None``.
"""

from dataclasses import dataclass

from nornir_tasks.design.config.access_lists import AccessList
from nornir_tasks.design.config.base import NO_BASE, Base
from nornir_tasks.design.config.bgp import Bfd, Bgp
from nornir_tasks.design.config.interfaces import Breakout, Interface, Lldp
from nornir_tasks.design.config.load_balancing import Hashing, LoadBalancing
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.qos import Qos
from nornir_tasks.design.config.routing_policy import NO_POLICY, RoutingPolicy
from nornir_tasks.design.config.spanning_tree import SpanningTree
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.config.vrfs import Vrf

SECTIONS = (
    "services",
    "hashing",
    "load_balancing",
    "lldp",
    "qos",
    "bfd",
    "breakouts",
    "vlans",
    "spanning_tree",
    "vrfs",
    "access_lists",
    "interfaces",
    "pair",
    "routing_policy",
    "static_routes",
    "bgp",
    "base",
)
"""The sections, in the order templates print them; each is a field of DeviceConfig and a template's stem."""


@dataclass(frozen=True, slots=True)
class DeviceConfig:
    """Everything that gpufabric owns on one switch. A section that is not wanted is None or empty."""

    name: str
    os: str
    release: str
    model: str
    asic: str
    services: tuple[str, ...] = ()
    """What the OS needs beside the sections: NX-OS ``feature`` names; EOS ``ip-routing``, counters of access lists."""
    hashing: Hashing | None = None
    load_balancing: LoadBalancing | None = None
    """None: static, by the hash alone."""
    lldp: Lldp | None = None
    qos: Qos | None = None
    bfd: Bfd | None = None
    breakouts: tuple[Breakout, ...] = ()
    vlans: tuple[Vlan, ...] = ()
    spanning_tree: SpanningTree | None = None
    """None: as the switch has it."""
    vrfs: tuple[Vrf, ...] = ()
    """Besides the default one."""
    access_lists: tuple[AccessList, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    pair: PairSettings | None = None
    """None: hosts' groups end on this switch alone."""
    routing_policy: RoutingPolicy = NO_POLICY
    static_routes: tuple[StaticRoute, ...] = ()
    bgp: Bgp | None = None
    base: Base = NO_BASE

    @property
    def every_list(self) -> tuple[AccessList, ...]:
        """The access lists with those of the control plane."""
        reach = self.base.reach
        control = () if reach.control_plane is None else (reach.control_plane.access_list,)
        return (*self.access_lists, *control, *reach.fabric)

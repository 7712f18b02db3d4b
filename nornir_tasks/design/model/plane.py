"""What the hosts on one plane get, as the design gives it."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv6Network

from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.model.flow_terms import Allowed
from nornir_tasks.design.model.mlag import BondTerms, BondVlan
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, ClassPolicy, ProfilePolicy
from nornir_tasks.intent.core.address_fields import SUBNET_V6_LENGTH


@dataclass(frozen=True, slots=True)
class Plane:
    """What the hosts on one plane get."""

    name: str
    kind: str
    """Which file of ``design/contribute/planes/`` says what it wants of a switch."""
    fabric: str
    """The fabric that it rides on."""
    pools: Mapping[str, str]
    """``hosts`` -> prefix."""
    host_block_length: int
    """Prefix length of each leaf's host block."""
    rails: int
    rail_supernets: tuple[str, ...]
    """Rail -> the prefix that holds all its host addresses, now and later; hosts route a rail by it. Those of the first
    copy of the fabric, then those of the second."""
    mtu_bytes: int
    """IP MTU of the hosts."""
    copy_pools: tuple[str, ...] = ()
    """Copy of the fabric -> the prefix that holds all host addresses in it: equal parts of the hosts pool, or that pool
    in each copy; empty if there is only one copy."""
    host_vlan: int | None = None
    """The VLAN that the hosts of a leaf or pair share; None where their ports are routed."""
    is_bonded: bool = False
    """Are all ports of a host one bond on both leaves of a pair?"""
    vlans: tuple[BondVlan, ...] = ()
    """VLANs of its bonds; empty if it has none."""
    bonds: tuple[BondTerms, ...] = ()
    """How each group of hosts bonds its ports, whose untagged VLAN is the plane's."""
    allowed: Allowed | None = None
    """What may pass the gateways of its VLANs; None: all may."""
    entry: frozenset[str] = frozenset()
    """Of an out-of-band plane: the groups of devices from which alone it may be entered."""
    dhcp_servers: frozenset[str] = frozenset()
    """Addresses, of either family, that these gateways relay DHCP to."""
    storm: StormControl | None = None
    """Of its hosts' ports, where these are in a VLAN."""
    pool_v6: str | None = None
    """Of its pairs' IPv6 subnets, by number of the leaf group; None: they have none."""
    vrf: str | None = None
    """None: the default one."""
    profile: str = FABRIC_PROFILE
    """Neutral name of the profile of its hosts' ports."""
    classes: tuple[ClassPolicy, ...] | None = None
    """How that profile treats the traffic classes; None: as links between switches do."""

    def vlan_of(self, group: str) -> BondVlan | None:
        """The VLAN of a group of hosts, if its ports are bonded."""
        own = next((each for each in self.vlans if group in each.groups), None)
        return own or next((each for each in self.vlans if not each.groups), None)

    def bond_of(self, host: str) -> BondTerms:
        """How a host bonds its ports."""
        group = host.rpartition("-")[0]
        return next((each for each in self.bonds if each.group == group), BondTerms(group))

    def subnet_v6(self, group: int) -> str | None:
        """The IPv6 subnet of the pair with this number, where its VLAN has no subnets of its own."""
        if self.pool_v6 is None:
            return None
        base = int(IPv6Network(self.pool_v6).network_address) + (group << (128 - SUBNET_V6_LENGTH))
        return str(IPv6Network((base, SUBNET_V6_LENGTH)))

    def supernet(self, rail: int, copy: int) -> str:
        """All addresses of this rail in this copy of the fabric (from 1)."""
        return self.rail_supernets[(copy - 1) * self.rails + rail]

    def supernet_of_copy(self, copy: int) -> str:
        """All addresses of hosts in this copy of the fabric (from 1)."""
        return self.copy_pools[copy - 1] if self.copy_pools else self.pools["hosts"]

    @property
    def has_shared_addresses(self) -> bool:
        """Have all ports of a NIC one address, the same on each copy of the fabric?"""
        return len(set(self.copy_pools)) < len(self.copy_pools)

    @property
    def profiles(self) -> Mapping[str, ProfilePolicy] | None:
        """The profile of its hosts' ports where it is its own, by name; None where it is the fabric's."""
        return None if self.classes is None else {self.profile: ProfilePolicy(self.classes)}

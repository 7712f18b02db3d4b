"""How many hosts there are, and which of their NIC ports are on which plane."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from nornir_tasks.intent.core.fields import InterfaceName, Name, NicPlace, PortStem, RailNumber, SpeedGbps
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.keys.bonded_plane import BondIntent


class NicsIntent(Part):
    """The NIC ports of a group's hosts on one plane."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        "nic": "model",
        "link": "planes.<name>.link",
        "vlan": "planes.<name>.vlan",
    }

    rails: Annotated[int, Field(ge=1, le=16)]
    """So many per host, one NIC each; the NIC is one port, or with ``copies`` several. On a plane that joins GPUs each
    is a rail; of leaves that are pairs either has half of them, so their number is even."""
    speed: SpeedGbps
    """Of each port."""
    copies: Literal[2, 4] | None = None
    """The NIC's cage is so many ports, each on an equal copy of the fabric; no two copies have a switch in common.
    Without it the NIC is one port. ``fabrics.<name>`` describes one copy (``spine.count``, ``spine.groups``,
    overrides), its pools are divided among all. All planes and groups of hosts on the fabric have as many. The NIC's
    ``model`` is needed, and is one that splits so. Switches only: bringing up such hosts is refused."""
    copy_addressing: Literal["per_port", "shared"] | None = None
    """With ``copies``. ``per_port``, as without it: each port has an address of its own, in its copy's part of
    ``pools.hosts``; the host has a routing table for each port, and its software chooses the copy. ``shared``: all
    ports of a NIC have one address, and each copy all of ``pools.hosts``; for NICs that spread packets over the copies
    themselves, as one interface. All hosts on a plane have the same."""
    model: str | None = None
    """Of the NIC, as in the catalogue; ``speed`` is one it has. Only who brings up hosts must say it."""
    per_group: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Hosts per leaf group; without it as many as the leaf takes."""
    port_names: PortStem = "rail"
    """What the hosts call these ports, with the rail's number behind: rail0, rail1. With ``copies`` the copy's number
    follows: rail0c1, rail0c2. On each plane of a host others."""
    ports_of: Name | None = None
    """Another plane, on the same fabric, whose NIC ports these are as well: rail 0 is the port of its rail 0, and on.
    The plane needs a ``tag``, both have routed links; ``speed`` is the same, and nothing else is said here."""
    leaves_of: Name | None = None
    """Another group of hosts with NIC ports on this plane, on whose leaves these ports are as well, after those hosts'.
    ``rails`` and ``speed`` are the same, and all of these hosts fit on one leaf group."""
    bond: BondIntent | None = None
    """How the ports are bonded, on a plane with ``link: bond``; without it as its defaults say. The bond is called like
    its ports, without their numbers (``data``), and carries this plane untagged; a plane that shares the ports
    (``ports_of``) is a VLAN of it (``data.300``)."""
    first_group: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Number of their first leaf group, where several groups of hosts or planes have leaves on one fabric; without it
    the next after those of planes and groups before. With it their switches keep names and addresses whatever grows."""
    at: tuple[NicPlace, ...] | None = None
    """Where the port of rail 0, 1, ... is in every host of the group. Only who brings up hosts needs it. One for each
    rail; no port serves two rails. With ``copies`` one for each port: those of rail 0 in order of the copies, then
    those of rail 1."""
    exceptions: dict[str, dict[RailNumber, NicPlace]] = Field(default_factory=dict)
    """Host -> rail -> where it is in this one host. Refused with ``copies``."""

    @property
    def ports(self) -> int:
        """Ports of each NIC, one on each copy of the fabric."""
        return self.copies or 1

    @property
    def port_count(self) -> int:
        """NIC ports of a host."""
        return self.rails * self.ports

    @property
    def ports_of_leaf(self) -> int:
        """NIC ports of a host on one leaf of a pair."""
        return self.rails // 2


class HostGroupIntent(Part):
    """Hosts that are alike. The fabrics are laid out for ``max``; ``count`` of them are there now."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        "rails": "nics: {<plane>: {rails: how many, at: [where the port of rail 0, 1, ... is]}}",
        "exceptions": "nics: {<plane>: {exceptions: ...}}",
    }

    count: Annotated[int, Field(ge=1, le=65536)]
    """Hosts that are there now."""
    max: Annotated[int, Field(ge=1, le=65536)]
    """Hosts that the fabrics are laid out for, at least ``count``; growing up to it moves no cable and no address."""
    nics: dict[Name, NicsIntent] = Field(default_factory=dict)
    """Plane -> the NIC ports on it. Each group has some, and each plane has some of a group."""
    interfaces: dict[Name, tuple[InterfaceName, ...]] = Field(default_factory=dict)
    """A plane that is not described yet -> the host's interfaces on it, as the kernel names them. Each is on one plane;
    ``rail0`` and the like are refused, as rails are named so (``port_names``)."""
    out_of_band: tuple[PortStem, ...] | None = None
    """Ports of each host on the site's out-of-band plane that its own kernel does not use: of its BMC, of its DPUs.
    Each has a place on an access switch. Needed where the site has such a plane; ``[]`` says that there are none."""

    bmc_shares: Name | None = None
    """The plane whose NIC port the BMC of each host sits on as well (NC-SI, shared LAN), beside its own port; without
    it the BMC has a port of its own alone. `nornir prove` takes such a BMC for a bridge between both planes."""

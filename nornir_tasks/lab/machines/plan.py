"""The plan of a lab machine: names, slots and addresses, from the design and the intent."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address

from nornir_tasks.errors import LabError, Problem

MANAGEMENT_SLOT = 3
"""PCI slot of the management NIC; the kernel calls it ens3."""
SITE_SLOT = 4
"""PCI slot of the NIC that is not in the intent, and that a site's installation would have configured: ens4."""
DISK_SLOT = 5
FIRST_RAIL_SLOT, LAST_SLOT = 6, 31
PLACES = f"0000:00:{FIRST_RAIL_SLOT:02x}.0 to 0000:00:{LAST_SLOT:02x}.0"
"""Where the NIC ports of machines may be."""
SITE_NETWORK = IPv4Address("192.0.2.0")
"""TEST-NET-1 (RFC 5737): a /31 per machine, the lab's end even. No intent gives these addresses to hosts."""
MAX_NAME = 15
"""Characters of an interface's name: IFNAMSIZ of the Linux kernel (include/uapi/linux/if.h), less the NUL."""


@dataclass(frozen=True, slots=True)
class Nic:
    """One NIC port of a machine, and the leaf's end of its cable."""

    name: str
    """Name of its end in the lab's namespace, after the machine's: ``rail0``, ``site``."""
    slot: int
    mac: str
    leaf_address: str = ""
    """With its length; "": the port is of a bond, whose leaves have an address for all of it."""
    speed_mbps: int | None = None
    """What the NIC says; None: nothing. LACP bundles no link without."""
    routed: bool = False
    """The other end of its cable is a port of a routed lab's switch, not one in the lab's namespace."""


@dataclass(frozen=True, slots=True)
class BondVlan:
    """One VLAN of a bond, and what the pair of leaves has of it."""

    name: str
    """Of its bridge in the lab's namespace, one for all bonds on the pair."""
    about: str
    """What it is, for people who look there."""
    tag: int | None
    """802.1Q tag on the bond; None: untagged."""
    mtu_bytes: int
    mac: str
    """The gateway's."""
    gateways: tuple[str, ...]
    """Addresses with length, IPv4 first."""


@dataclass(frozen=True, slots=True)
class Bond:
    """One bond of a machine, and the pair of leaves at its other end."""

    name: str
    members: tuple[str, ...]
    """NIC ports, by their numbers."""
    system: str
    """MAC address that both leaves have for LACP."""
    key: int
    is_fast: bool
    """The leaves ask for a frame of LACP each second, not each 30 seconds."""
    vlans: tuple[BondVlan, ...]


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """One machine."""

    name: str
    index: int
    """Place among the design's hosts, from 0."""
    nics: tuple[Nic, ...]
    site_address: str
    """The machine's own, with prefix length: as a site's installation would have configured it."""
    bonds: tuple[Bond, ...] = ()

    @property
    def own_nics(self) -> tuple[Nic, ...]:
        """The NICs whose cables end in the lab's namespace."""
        return tuple(nic for nic in self.nics if not nic.routed)

    @property
    def routed_nics(self) -> tuple[Nic, ...]:
        """The NICs whose cables end at switches of a routed lab."""
        return tuple(nic for nic in self.nics if nic.routed)


@dataclass(frozen=True, slots=True)
class Rail:
    """One NIC port of a host in the design: of a rail, or a member of a bond."""

    name: str
    pci: str | None
    mac: str | None
    """Exactly one of the two is given."""
    leaf_address: str = ""
    """With its length; "" for a member of a bond."""
    speed_mbps: int | None = None
    routed: bool = False


def machine_plan(name: str, index: int, rails: tuple[Rail, ...], bonds: tuple[Bond, ...] = ()) -> MachinePlan:
    """``rails`` has the members of ``bonds`` as well.

    Raises LabError if a port's slot is not on the lab's one PCI bus, if two ports have one slot, or for a port whose
    leaf's end would have too long a name.
    """
    slots = dict(zip((rail.name for rail in rails), _slots(name, rails), strict=True))
    nics = tuple(
        Nic(
            rail.name,
            slots[rail.name],
            rail.mac or mac(name, rail.name),
            rail.leaf_address,
            rail.speed_mbps,
            rail.routed,
        )
        for rail in rails
    )
    leaf_end = SITE_NETWORK + 2 * index
    site = Nic("site", SITE_SLOT, mac(name, "site"), f"{leaf_end}/31")
    plan = MachinePlan(name, index, (*nics, site), f"{leaf_end + 1}/31", bonds)
    for nic in nics:
        if len(end := leaf_port(plan, nic)) > MAX_NAME:
            what, expected = f"{nic.name}: the leaf's end of it has too long a name", f"at most {MAX_NAME} characters"
            raise LabError(Problem(name, what, expected=expected, found=end, hint="shorter port_names"))
    return plan


def leaf_port(machine: MachinePlan, nic: Nic) -> str:
    """``h1-rail0``: rail 0 of the first machine, as its leaf names it."""
    return f"{leaf_prefix(machine.index)}{nic.name}"


def leaf_prefix(index: int) -> str:
    """How all ends of the machine at this place among the hosts begin."""
    return f"h{index + 1}-"


def mac(machine: str, nic: str) -> str:
    """A locally administered address in QEMU's range, always the same."""
    digest = hashlib.sha256(f"{machine} {nic}".encode()).digest()
    return "52:54:00:" + ":".join(f"{byte:02x}" for byte in digest[:3])


def _slots(machine: str, rails: tuple[Rail, ...]) -> Iterator[int]:
    given = {rail.name: _slot(machine, rail) for rail in rails if rail.pci is not None}
    free = (slot for slot in range(FIRST_RAIL_SLOT, LAST_SLOT + 1) if slot not in given.values())
    if len(set(given.values())) < len(given):
        raise LabError(
            Problem(
                machine,
                "two NIC ports in one PCI slot",
                found=", ".join(f"{name}: {slot}" for name, slot in given.items()),
            )
        )
    for rail in rails:
        yield given[rail.name] if rail.name in given else next(free)


def _slot(machine: str, rail: Rail) -> int:
    place = str(rail.pci)
    if not has_place(place):
        raise LabError(Problem(machine, f"{rail.name}: a lab machine has one PCI bus", expected=PLACES, found=place))
    return _slot_of(place)


def has_place(place: str) -> bool:
    """Is there such a PCI address for NIC ports on lab machines?"""
    return place.startswith("0000:00:") and place.endswith(".0") and FIRST_RAIL_SLOT <= _slot_of(place) <= LAST_SLOT


def _slot_of(place: str) -> int:
    return int(place.rpartition(":")[2].partition(".")[0], 16)

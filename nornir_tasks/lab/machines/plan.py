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
SITE_NETWORK = IPv4Address("192.0.2.0")
"""TEST-NET-1 (RFC 5737): a /31 per machine, the lab's end even. No intent gives these addresses to hosts."""


@dataclass(frozen=True, slots=True)
class Nic:
    """One NIC port of a machine, and the leaf's end of its cable."""

    name: str
    """Name of its end in the lab's namespace, after the machine's: ``rail0``, ``site``."""
    slot: int
    mac: str
    leaf_address: str
    prefix_length: int


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """One machine."""

    name: str
    index: int
    """Place among the design's hosts, from 0."""
    nics: tuple[Nic, ...]
    site_address: str
    """The machine's own, with prefix length: as a site's installation would have configured it."""


@dataclass(frozen=True, slots=True)
class Rail:
    """One rail of a host in the design."""

    name: str
    pci: str | None
    mac: str | None
    """Exactly one of the two is given."""
    leaf_address: str
    prefix_length: int


def machine_plan(name: str, index: int, rails: tuple[Rail, ...]) -> MachinePlan:
    """Raises LabError if a rail's slot is not on the lab's one PCI bus, or if two rails have one slot."""
    slots = dict(zip((rail.name for rail in rails), _slots(name, rails), strict=True))
    nics = tuple(
        Nic(rail.name, slots[rail.name], rail.mac or mac(name, rail.name), rail.leaf_address, rail.prefix_length)
        for rail in rails
    )
    leaf_end = SITE_NETWORK + 2 * index
    site = Nic("site", SITE_SLOT, mac(name, "site"), str(leaf_end), 31)
    return MachinePlan(name, index, (*nics, site), f"{leaf_end + 1}/31")


def mac(machine: str, nic: str) -> str:
    """A locally administered address in QEMU's range, always the same."""
    digest = hashlib.sha256(f"{machine} {nic}".encode()).digest()
    return "52:54:00:" + ":".join(f"{byte:02x}" for byte in digest[:3])


def _slots(machine: str, rails: tuple[Rail, ...]) -> Iterator[int]:
    given = {rail.name: _slot(machine, rail) for rail in rails if rail.pci is not None}
    free = (slot for slot in range(FIRST_RAIL_SLOT, LAST_SLOT + 1) if slot not in given.values())
    if len(set(given.values())) < len(given):
        raise LabError(Problem(machine, "two rails in one PCI slot", found=str(given)))
    for rail in rails:
        yield given[rail.name] if rail.name in given else next(free)


def _slot(machine: str, rail: Rail) -> int:
    domain_bus, _, rest = str(rail.pci).rpartition(":")
    device, _, function = rest.partition(".")
    slot = int(device, 16)
    if domain_bus != "0000:00" or function != "0" or not FIRST_RAIL_SLOT <= slot <= LAST_SLOT:
        expected = f"0000:00:{FIRST_RAIL_SLOT:02x}.0 to 0000:00:{LAST_SLOT:02x}.0"
        what = f"{rail.name}: a lab machine has one PCI bus"
        raise LabError(Problem(machine, what, expected=expected, found=str(rail.pci)))
    return slot

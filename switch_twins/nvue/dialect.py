"""The spellings of a release: one record per dialect, 5.14 and the changes of 5.15.

Sources: nvueschema 0.1.0 v5_14 against v5_15; Cumulus Linux command reference ("In 5.14 and earlier ...").
"""

from __future__ import annotations

from dataclasses import dataclass

from .tree import Path, Tree, get_or


@dataclass(frozen=True, slots=True)
class Dialect:
    """Spellings of one release."""

    release: str
    switch: str
    on: str
    off: str
    addresses: Path
    vrf: Path
    lldp: Path
    advertisement: Path
    gateway_up: str
    date_time: str
    has_bfd_profiles: bool
    takes_commands: bool

    def is_on(self, tree: object, default: bool, *path: str) -> bool:
        """Is the object at a path enabled (``enable: on`` or ``state: enabled``)?"""
        return self.is_true(tree, default, *path, self.switch)

    def is_true(self, tree: object, default: bool, *path: str) -> bool:
        """Whether the boolean at a path is true."""
        value = get_or(tree, None, *path)
        return default if value is None else bool(value == self.on)

    def word(self, value: bool) -> str:
        """A boolean as this release prints it."""
        return self.on if value else self.off

    def addresses_of(self, interface: Tree) -> list[str]:
        """IPv4 addresses of an interface, in their configured order."""
        return [address for address in get_or(interface, {}, *self.addresses) if ":" not in address]

    def vrf_of(self, interface: Tree) -> str:
        """The VRF an interface is in."""
        return str(get_or(interface, "default", *self.vrf))


def dialect_for(release: str) -> Dialect:
    """The dialect of a release such as "5.14.0"."""
    major, minor = (int(part) for part in release.split(".")[:2])
    is_new = (major, minor) >= (5, 15)
    return Dialect(
        release=release,
        switch="state" if is_new else "enable",
        on="enabled" if is_new else "on",
        off="disabled" if is_new else "off",
        addresses=("ipv4", "address") if is_new else ("ip", "address"),
        vrf=("vrf",) if is_new else ("ip", "vrf"),
        lldp=("system", "lldp") if is_new else ("service", "lldp"),
        advertisement=("ipv6" if is_new else "ip", "neighbor-discovery", "router-advertisement"),
        gateway_up="vrr-state" if is_new else "state",
        date_time="date-time" if is_new else "time",
        has_bfd_profiles=is_new,
        takes_commands=(major, minor) >= (5, 16),
    )

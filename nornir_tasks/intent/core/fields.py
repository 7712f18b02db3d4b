"""Values that the intent writes as text: speeds, prefixes, ASN ranges, DSCP sets, names of switch OSes."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticKnownError

from nornir_tasks.intent.core.findings import as_shown, wrong

MAX_ASN = 4294967294
"""4294967295 is reserved (RFC 7300)."""

RESERVED_ASNS = {
    23456: "stands for every 4-byte ASN towards a router that knows none (RFC 6793)",
    65535: "is reserved (RFC 7300)",
}
"""No switch may have one of these; 0 (RFC 7607) and 4294967295 (RFC 7300) are outside any range that is taken."""

MAX_RATIO = 64

_SPEED = re.compile(r"([1-9][0-9]{0,4})G")
_ASNS = re.compile(r"([0-9]{1,10})-([0-9]{1,10})")
_DSCP_RANGE = re.compile(r"([0-9]{1,2})-([0-9]{1,2})")
_SPLIT = re.compile(r"([1248])x([1-9][0-9]{0,4})G")
_SUBNET = re.compile(r"subnet/([0-9]{2})")
_PREFIX = re.compile(r"([0-9.]+)/[0-9]{1,2}")
_RATIO = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,6})?):([0-9]{1,4}(?:\.[0-9]{1,6})?)")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}")
_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")
_INTERFACE = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,14}")
_PORT_STEM = re.compile(r"[a-z](?:[a-z_-]{0,11}[a-z])?")
_VRF = re.compile(r"[A-Z][A-Z0-9_-]{0,14}")
_MAC = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")


@dataclass(frozen=True, slots=True)
class Split:
    """A cage as so many ports of a speed; one way is the whole port."""

    ways: int
    speed_gbps: int

    def __str__(self) -> str:
        return f"{self.ways}x{self.speed_gbps}G"


@dataclass(frozen=True, slots=True)
class AsnRange:
    """ASNs from first to last, both included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


SYSTEMS = "systems"
"""Under this key of the context the reader of a file hands in :class:`Systems`; without it every name is taken."""


@dataclass(frozen=True, slots=True)
class Systems:
    """The switch OSes there are."""

    names: tuple[str, ...]
    """Sorted."""
    missing_parts: Callable[[str], tuple[str, ...]]
    """Name -> what it has not got of all that an OS must bring; empty where it can be used."""


def _system_name(value: object, info: ValidationInfo) -> object:
    known = _systems(info)
    if known is not None and value not in known.names:
        *others, last = map(repr, known.names)
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}" if others else last})
    return value


def _system(value: str, info: ValidationInfo) -> str:
    known = _systems(info)
    if known is not None and (missing := known.missing_parts(value)):
        what = f"{value} cannot be used: {len(missing)} of its parts {'is' if len(missing) == 1 else 'are'} missing"
        raise wrong(what, ", ".join(missing), value, "CONTRIBUTING.md says what a switch OS must bring")
    return value


def _systems(info: ValidationInfo) -> Systems | None:
    found: Systems | None = (info.context or {}).get(SYSTEMS)
    return found


def _speed(value: object) -> int:
    found = _SPEED.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise wrong("not a port speed", "Gigabit per second with a G, as 200G or 400G", value)
    return int(found[1])


def _split(value: object) -> Split:
    if isinstance(value, Split):
        return value
    found = _SPLIT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise wrong("not a breakout", "ways x speed of each leg, as 2x200G or 4x100G", value)
    return Split(int(found[1]), int(found[2]))


def _host_link(value: object) -> str:
    found = _SUBNET.fullmatch(value) if isinstance(value, str) else None
    if value not in ("p2p", "svi", "bond") and (found is None or not 24 <= int(found[1]) <= 30):
        raise wrong("not a kind of host link", "p2p, svi, bond, or subnet/N with N from 24 to 30", value)
    return str(value)


def _prefix(value: object) -> IPv4Network:
    if isinstance(value, IPv4Network):
        return value
    try:
        return IPv4Network(value if isinstance(value, str) and _PREFIX.fullmatch(value) else "")
    except ValueError as error:
        hint = ""
        if "host bits set" in str(error):
            hint = f"write the network itself: {IPv4Network(value, strict=False)}"
        raise wrong("not an IPv4 prefix", "network/length, as 10.160.0.0/13", value, hint) from None


def _asns(value: object) -> AsnRange:
    if isinstance(value, AsnRange):
        return value
    found = _ASNS.fullmatch(value.replace(" ", "")) if isinstance(value, str) else None
    if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MAX_ASN:
        raise wrong("not a range of ASNs", f"first-last within 1-{MAX_ASN}, as 4200000000-4200099999", value)
    asns = AsnRange(int(found[1]), int(found[2]))
    for asn, why in RESERVED_ASNS.items():
        if asns.first <= asn <= asns.last:
            hint = "4200000000-4294967294 is private and free of reserved ones (RFC 6996)"
            raise wrong(f"holds AS {asn}, which {why}", f"a range without {asn}", value, hint)
    return asns


def _dscp(value: object) -> tuple[int, ...]:
    points: list[int] = []
    for part in value if isinstance(value, tuple | list) else (value,):
        if isinstance(part, str) and (found := _DSCP_RANGE.fullmatch(part)):
            first, last = int(found[1]), int(found[2])
            if first > last:
                raise wrong("a DSCP range that runs backwards", f"the lower end first: {last}-{first}", part)
            points += range(first, last + 1)
        elif isinstance(part, int) and not isinstance(part, bool):
            points.append(part)
        else:
            raise wrong("not a DSCP", "a code point 0-63, a range as 48-55, or a list of them", part)
    if not points:
        raise wrong("no DSCP, so no packet would be in this class", "a code point 0-63, a range, or a list", value)
    for point in points:
        if not 0 <= point <= 63:
            raise wrong(
                "no such DSCP", "a code point 0-63", point, "a DSCP is six bits; NCCL's traffic class is 4 x DSCP"
            )
    return tuple(sorted(set(points)))


def _ratio(value: object) -> float:
    ratio = 0.0
    if isinstance(value, str) and (found := _RATIO.fullmatch(value)):
        ratio = float(found[1]) / (float(found[2]) or math.inf)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        ratio = float(value) if abs(value) <= MAX_RATIO else 0.0
    if not 0 < ratio <= MAX_RATIO:
        raise wrong("not a ratio", f"a number above 0 and up to {MAX_RATIO}, as 3 or 1.5; or as 3:1", value)
    return ratio


def _nic_place(value: object) -> str:
    text = value.lower() if isinstance(value, str) else ""
    if _PCI.fullmatch(text) or (_MAC.fullmatch(text) and text.strip("0:") and not int(text[:2], 16) & 1):
        return text
    expected = "a PCI address as 0000:18:00.0 (lspci -D), or the MAC address of the port as 0c:42:a1:00:00:12"
    raise wrong("not where a NIC port is", expected, value)


def is_pci(place: str) -> bool:
    """Is this a PCI address (else it is a MAC address)?"""
    return _PCI.fullmatch(place) is not None


def _interface_name(value: object) -> str:
    if not isinstance(value, str) or not _INTERFACE.fullmatch(value) or value == "lo":
        raise wrong("not the name of a network interface", "1-15 letters, digits, dots, dashes, as eno1", value)
    return value


def _port_stem(value: object) -> str:
    if not isinstance(value, str) or not _PORT_STEM.fullmatch(value):
        raise wrong(
            "nothing that names of network interfaces begin with", "1-13 small letters or dashes, as rail", value
        )
    return value


def _vrf_name(value: object) -> str:
    if not isinstance(value, str) or not _VRF.fullmatch(value):
        raise wrong("not the name of a VRF", "1-15 capitals, digits, dashes, as COMPUTE", value)
    return value


def _rail_number(value: object) -> int:
    if isinstance(value, bool) or not (isinstance(value, int | str) and _NUMBER.fullmatch(as_shown(value))):
        raise wrong("not the number of a rail", "a whole number, from 0", value)
    return int(value)


def _congestion(value: object) -> str:
    if value in PROFILES:
        return str(value)
    raise wrong("no such way against congestion", f"{', '.join(PROFILES[:-1])} or {PROFILES[-1]}", value)


PROFILES = ("dcqcn", "pfc_only", "lossy", "spectrum_x")
"""The ways against congestion, each one profile for switches, NICs and NCCL."""


@dataclass(frozen=True, slots=True)
class Written:
    """How an operator writes a value of this type; docs/intent.md says so."""

    words: str
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The same as JSON Schema; empty where that of the type will do."""

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:  # noqa: ANN401
        """What an editor is told: what is written, not what is made of it."""
        return dict(self.schema) or handler(core_schema)


def text(*patterns: str | re.Pattern[str]) -> dict[str, Any]:
    """JSON Schema of a text that is one of these, whole."""
    joined = "|".join(each if isinstance(each, str) else each.pattern for each in patterns)
    return {"type": "string", "pattern": f"^(?:{joined})$"}


_RATIO_SCHEMA = {"anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": MAX_RATIO}, text(_RATIO)]}
_POINT = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 63}, text(_DSCP_RANGE)]}
_DSCP_SCHEMA = {"anyOf": [*_POINT["anyOf"], {"type": "array", "minItems": 1, "items": _POINT}]}
_ANY_CASE_PCI = r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[01][0-9a-fA-F]\.[0-7]"
_ANY_CASE_MAC = r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}"
OS = "switch-os"
"""Form of a text that names one: which there are is not for the intent to know (``files/yaml_schemas.py``)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a number counts."""

    name: str


SystemName = Annotated[str, BeforeValidator(_system_name)]
"""Name of a switch OS that there is."""
System = Annotated[
    SystemName, AfterValidator(_system), Written("name of a switch OS", {"type": "string", "format": OS})
]
"""Name of a switch OS that has all its parts."""
SpeedGbps = Annotated[int, BeforeValidator(_speed), Written("speed in Gbit/s with a `G`", text(_SPEED))]
Breakout = Annotated[
    Split, BeforeValidator(_split), Written("ports x speed of each in Gbit/s: 1, 2, 4 or 8 ports", text(_SPLIT))
]
HostLink = Annotated[
    str,
    BeforeValidator(_host_link),
    Written("`p2p`, `svi`, `bond`, or `subnet/N` with N 24-30", text("p2p|svi|bond", "subnet/(?:2[4-9]|30)")),
]
Prefix = Annotated[IPv4Network, BeforeValidator(_prefix), Written("IPv4 prefix", text(_PREFIX))]
Asns = Annotated[
    AsnRange,
    BeforeValidator(_asns),
    Written(f"range of ASNs, first-last within 1-{MAX_ASN}", text(r"[0-9]{1,10} *- *[0-9]{1,10}")),
]
Congestion = Annotated[
    str, BeforeValidator(_congestion), Written("`dcqcn`, `pfc_only`, `lossy` or `spectrum_x`", {"enum": [*PROFILES]})
]
"""One of PROFILES."""
Ratio = Annotated[
    float, BeforeValidator(_ratio), Written(f"ratio: a number above 0, up to {MAX_RATIO}, or as `3:1`", _RATIO_SCHEMA)
]
"""Of two bandwidths: a number, or ``3:1``."""
DscpSet = Annotated[
    tuple[int, ...], BeforeValidator(_dscp), Written("DSCP 0-63, a range as `48-55`, or a list of these", _DSCP_SCHEMA)
]
NicPlace = Annotated[
    str, BeforeValidator(_nic_place), Written("PCI address or MAC address", text(_ANY_CASE_PCI, _ANY_CASE_MAC))
]
"""Where a host's NIC port is found: its PCI address or its MAC address, in lower case."""
InterfaceName = Annotated[
    str, BeforeValidator(_interface_name), Written("name of a network interface, 1-15 characters", text(_INTERFACE))
]
"""Name of a network interface as the Linux kernel takes it: at most 15 characters."""
PortStem = Annotated[
    str,
    BeforeValidator(_port_stem),
    Written("what names of interfaces begin with, 1-13 small letters or dashes", text(_PORT_STEM)),
]
"""With a number of two digits behind it a name that the Linux kernel takes; it ends in none, so that no two are one."""
RailNumber = Annotated[int, BeforeValidator(_rail_number), Written("number of a rail, from 0", text(_NUMBER))]
"""Number of a rail as a key."""
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$"), Written("name, 1-32 characters")]
"""Name that ends up in device names, host names and comments."""
VrfName = Annotated[str, BeforeValidator(_vrf_name), Written("name of a VRF in capitals, 1-15 characters", text(_VRF))]
"""Name of a VRF. On Cumulus Linux it is that of a network interface, which has at most 15 characters."""
OwnName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,15}$"), Written("name, 1-16 characters")]
"""Name of a fabric or plane: what the names of its objects on switches begin with, which are 32 characters at most."""

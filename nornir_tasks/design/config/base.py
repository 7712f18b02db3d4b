"""Base configuration of a switch in the common model: what it has besides its part in a fabric."""

from dataclasses import dataclass
from typing import Literal, get_args

from nornir_tasks.design.config.aaa import Radius, Tacacs
from nornir_tasks.design.config.accounts import Account
from nornir_tasks.design.config.reach import NO_REACH, Reach
from nornir_tasks.design.config.snmp import Snmp

BaseSection = Literal[
    "hostname",
    "management",
    "banner",
    "timezone",
    "dns",
    "ntp",
    "syslog",
    "snmp",
    "accounts",
    "aaa",
    "radius",
    "api",
    "api address",
    "ssh",
    "control",
    "control fabric",
]
"""Each is ours as a whole where the intent has its key, else others'. ``api address``: what the API listens
on, where the design knows it. ``radius``: RADIUS servers, where the intent names some."""
BASE_SECTIONS: tuple[BaseSection, ...] = get_args(BaseSection)

NETWORK_SECTIONS: frozenset[BaseSection] = frozenset({"dns", "management"})
"""Those that NX-OS has lines of in its management VRF."""
PORT_SECTIONS: frozenset[BaseSection] = frozenset({"management", "control"})
"""Those that NX-OS and Cumulus Linux have lines of at the management port."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that the switch itself talks to."""

    address: str
    """IPv4 or IPv6, as Python writes it."""
    vrf: str | None
    """The VRF that it is reached in, by the name that the switch has for it; None: the default one."""


@dataclass(frozen=True, slots=True)
class ManagementPort:
    """The port that the switch is managed by, in a VRF of its own with a default route."""

    vrf: str
    """By the name that the switch has for it."""
    address: str
    """IPv4, with its length."""
    gateway: str
    """IPv4: where the default route goes to."""


@dataclass(frozen=True, slots=True)
class Base:
    """Base configuration. What is not managed is empty, as is what is managed and should not be there."""

    hostname: str | None = None
    """The name the switch has for itself; None: not managed."""
    banner: str | None = None
    """What is shown before a login; lines end with a newline, but the last."""
    timezone: str | None = None
    """``UTC``, or a zone of IANA's database."""
    management: ManagementPort | None = None
    """None: not managed."""
    name_servers: tuple[Server, ...] = ()
    """DNS."""
    domain: str | None = None
    """The domain name of the switch."""
    time_servers: tuple[Server, ...] = ()
    """NTP."""
    log_servers: tuple[Server, ...] = ()
    """Syslog, by UDP."""
    reach: Reach = NO_REACH
    """How the switch is reached."""
    accounts: tuple[Account, ...] = ()
    """Local accounts, by name."""
    snmp: Snmp | None = None
    """None: not managed."""
    radius: Radius | None = None
    """Servers that are asked before local accounts; not beside those of TACACS+."""
    tacacs: Tacacs | None = None
    """Servers that are asked before these accounts."""


NO_BASE = Base()
"""Of a switch whose base configuration is others'."""

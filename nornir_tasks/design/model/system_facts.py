"""What systems can do, in parts: access lists, accounts, security of BGP, pairs of switches."""

from dataclasses import dataclass

from nornir_tasks.design.config.snmp import KeyForm, SnmpAuth


@dataclass(frozen=True, slots=True)
class AclFacts:
    """Of one OS release."""

    places: frozenset[str]
    """Where lists can be applied: kind of port (``routed``, with subinterfaces and SVIs; ``switched``), family and
    direction, such as ``switched ipv4 in``."""
    source: str
    not_on_groups: frozenset[str] = frozenset()
    """Uses (``ipv4 out``) that a link aggregation group cannot have, although other ports of its kind can."""
    services: tuple[tuple[str, str], ...] = ()
    """(use, entry of DeviceConfig.services): what is configured beside lists. The use is a family and direction
    (``ipv6 out``), or ``any``."""
    icmp_types: frozenset[str] = frozenset({"ipv4", "ipv6"})
    """Families whose rules may name an ICMP type; in the others ICMP is permitted or denied as a whole."""
    denies_rest: bool = True
    """What no rule of a list matches is refused."""
    has_ranges_out: bool = True
    """A list for outgoing packets may have ranges of ports."""
    max_sequence: int = 4_294_967_295
    """Greatest number of a rule."""
    svi_takes_bridged: bool = False
    """A list on an SVI filters what is only bridged in its VLAN, beside what is routed."""


@dataclass(frozen=True, slots=True)
class AccountFacts:
    """What local accounts of an OS are like."""

    hash_pattern: str
    """Regular expression of the hashes of passwords that it takes, as a whole."""
    hash_words: str
    """The same for the operator, with the command that makes one."""
    kept: frozenset[str] = frozenset()
    """Accounts that it does not do without."""
    key_pattern: str = r"(?!)"
    """Regular expression of the keys of TACACS+ and RADIUS servers that it takes, as a whole."""
    key_words: str = "none: no servers of accounts are configured on this system"
    """The same for the operator."""
    hidden_radius_timeout_s: int | None = None
    """The timeout of RADIUS servers that it does not print, as it is its own."""


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What keys of SNMP users of one kind look like."""

    pattern: str
    """Regular expression of the whole key."""
    words: str
    """The same for the operator."""


@dataclass(frozen=True, slots=True)
class SnmpFacts:
    """What SNMPv3 of an OS is like."""

    sha: KeyFacts
    sha256: KeyFacts
    privacy: KeyFacts
    second: KeyFacts | None = None
    """Of keys of all kinds in a second form; None: it has none."""
    is_in_one_vrf: bool = True
    """Does a line say in which VRF it answers? Else it does in all, and only where notifications go has a VRF."""
    engine_prefix: str = ""
    """The beginning of its identity (RFC 3411, snmpEngineID) up to the format, hexadecimal digits, where lines of users
    name it; empty: they do not."""

    def form(self, wanted: KeyForm) -> KeyForm:
        """The form that its keys have."""
        return wanted if self.second is not None else "v1"

    def auth_key(self, auth: SnmpAuth, form: KeyForm) -> KeyFacts:
        """Of the keys that authenticate."""
        first = self.sha if auth == "sha" else self.sha256
        return first if self.form(form) == "v1" or self.second is None else self.second

    def privacy_key(self, form: KeyForm) -> KeyFacts:
        """Of the keys that encrypt."""
        return self.privacy if self.form(form) == "v1" or self.second is None else self.second


NO_ACCOUNTS = AccountFacts(r"(?!)", "none: no accounts are configured on this system")
"""Of an OS of which nothing is known."""


@dataclass(frozen=True, slots=True)
class AoFacts:
    """TCP-AO (RFC 5925)."""

    algorithms: frozenset[str]
    """Of TcpAo.algorithm."""
    key: KeyFacts
    """What the value of the secret with its key looks like."""


@dataclass(frozen=True, slots=True)
class GuardFacts:
    """Of one OS release. Each source stands where it is written down."""

    md5: KeyFacts | None = None
    """What the value of the secret with a session's password looks like (TCP MD5, RFC 2385); None: it has none."""
    md5_gap: str = "our line for passwords of BGP sessions was not compared with a source"
    """Why not, for the operator's message."""
    ao: AoFacts | None = None
    """None: no TCP-AO."""
    ao_gap: str = "our lines for TCP-AO were not compared with a source"
    """Why not, for the operator's message."""
    has_rpki: bool = False
    """It asks validators for the origins of prefixes (RFC 8210), and route maps can match what they say."""
    rpki_gap: str = "our lines for validation of origins were not compared with a source"
    """Why not, for the operator's message."""


NO_GUARDS = GuardFacts()


PEER_VLAN = 4094
"""On peer links, where the OS lets a VLAN have that number: of the vendors' own examples (aristanetworks/avd,
peerlink.4094)."""


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What an OS can say of a pair of switches."""

    settings: frozenset[str]
    """Fields of PairSettings that it has lines for, beside peer link, keepalive address and VRF, and reload delay."""
    source: str
    peer_link: str = ""
    """Name of the group between both switches; empty: any group."""
    max_id: int = 0
    """Groups over both switches are numbered from 1 to this."""
    max_number: int = 0
    """Domains as well; 0: they have no numbers."""
    max_reload_delay_s: int = 0
    peer_link_mtu_bytes: int | None = None
    """The MTU that the peer link has, where it takes no line of it."""
    peer_link_native_vlan: int | None = None
    """VLAN of the peer link's untagged frames, where it must have one. No owner declares it; no host is in it."""
    service: str | None = None
    """What must be loaded before there are pairs (NX-OS ``feature vpc``)."""
    peer_vlan: int = PEER_VLAN
    """In which both route to one another over the peer link, and talk, where the OS has a VLAN for that."""
    peer_subnet: str | None = None
    """IPv4 prefix of both ends' addresses in it, the same in each pair, since nothing announces it. None: it is a
    subinterface of the peer link without addresses, and the session over it is unnumbered."""


@dataclass(frozen=True, slots=True)
class StormFacts:
    """Limits in packets a second that a switched port can have."""

    kinds: frozenset[str]
    """Of ``broadcast``, ``multicast``, ``unknown_unicast``."""
    min_pps: int
    max_pps: int
    source: str
    is_on_members: bool = False
    """A group has them on each of its members (NVUE), and not itself."""


@dataclass(frozen=True, slots=True)
class BaseGap:
    """A key of the intent's ``base`` that a switch cannot have, and the words for the operator."""

    key: str
    """With those above it, as ``dns.domain``."""
    why: str
    besides: str = ""
    """The one value of it that the switch has all the same."""

    @property
    def what(self) -> str:
        """What is refused, and why."""
        return f"{self.key} cannot be configured: {self.why}"

    @property
    def expected(self) -> str:
        """What may stand in its place."""
        return f"{self.key}: {self.besides}, or base without it" if self.besides else f"base without {self.key}"

    @property
    def hint(self) -> str:
        """What to do."""
        return f"give the fabrics with such switches a base of their own without {self.key}; there it stays as it is"


FABRIC_LIST = "control_plane.fabric"
NO_BASE_FACTS = (
    BaseGap("snmp", "nothing is known of its SNMP"),
    BaseGap(FABRIC_LIST, "no source shows a list of it"),
)
"""Of a system that these were not looked up for."""

"""What the intent says of how switches are reached: their API, as a part of base configuration."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Annotated

from pydantic import BeforeValidator, Field

from nornir_tasks.intent.core.address_fields import NOT_UNICAST
from nornir_tasks.intent.core.fields import Prefix, Unit, Written, text
from nornir_tasks.intent.core.findings import Finding, Path, wrong
from nornir_tasks.intent.core.intent_model import Part

_CERTIFICATE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


def _certificate(value: object) -> str:
    if not isinstance(value, str) or not _CERTIFICATE.fullmatch(value):
        expected = "1-32 letters, digits, dashes and underscores, the first one a letter, as fabric-2026"
        hint = "the certificate itself is no part of the intent: it is on the switch under this name"
        raise wrong("not the name of a certificate", expected, value, hint)
    return value


CertificateName = Annotated[
    str,
    BeforeValidator(_certificate),
    Written("1-32 letters, digits, dashes, underscores; a letter first", text(_CERTIFICATE)),
]


class ApiIntent(Part):
    """The API that switches are configured by: HTTPS, in the management VRF.

    What others have opened beside it (HTTP, another VRF, another address) stays until it is adopted.
    """

    certificate: CertificateName
    """Name of the certificate and key that each switch has, for itself, under this same name: ``NAME.crt`` and
    ``NAME.key`` among the certificates of EOS and on the bootflash of NX-OS, the certificate ``NAME`` of Cumulus Linux.
    Day 0 puts them there. The port stays as the switch has it. Cumulus Linux serves the API on addresses, not in a VRF:
    where the design knows the address of the management port, on that one alone. A switch that is known by a pinned
    certificate (``nornir trust``) is refused another one: set it at its console, pin it, then push."""


class SshIntent(Part):
    """SSH to switches: in the management VRF on EOS and Cumulus Linux; NX-OS has no line for that.

    Root does not log in: on Cumulus Linux it is said, on EOS and NX-OS there is no such login. What others have opened
    beside it (SSH in another VRF, Telnet on NX-OS) stays until it is adopted.
    """

    idle_minutes: Annotated[int, Field(ge=1, le=29), Unit("minutes")]
    """Minutes after which an idle session ends."""


class ControlPlaneIntent(Part):
    """Who may talk to switches over their management ports: an access list with a counted deny at its end.

    IPv4 alone. All others get in ICMP, and answers: of TCP that the switch opened, of its time and name servers, of
    DHCP. What comes by other ports does not meet it, unless ``fabric`` says so: docs/not-shown.md has what holds there.
    """

    allowed: Annotated[tuple[Prefix, ...], Field(min_length=1)]
    """Prefixes from which everything gets in: SSH, the API, SNMP, NTP and the rest. Servers that switches ask by UDP
    and that are not in ``ntp`` or ``dns`` must be in here, and what may enter the out-of-band plane."""
    fabric: bool = False
    """``true``: lists of both families as well for what comes to a switch by its other ports, in the default VRF. They
    let in what the switch's own part of the site needs (BGP and BFD from its links, MLAG from the other leaf of its
    pair, DHCP where it relays, neighbour discovery, ping and traceroute, answers), and refuse and count all else, SSH
    and the API among it. With ``vrf: default`` those who are ``allowed`` get in there, and it is needed. What others
    have in the default VRF (sessions, servers) is let in only where it answers to a connection of the switch. EOS
    alone: Cumulus Linux takes no list of its control plane that ends with a deny, NX-OS has none."""

    def findings(self) -> Iterator[Finding]:
        """Each prefix once, and with addresses that a host can have; not all there are."""
        for number, prefix in enumerate(self.allowed):
            yield from _allowed(("allowed", number), prefix)
            if prefix in self.allowed[:number]:
                found = f"{prefix}, also in allowed[{self.allowed.index(prefix)}]"
                yield Finding(("allowed", number), "a prefix that is named twice", "each prefix once", found)


def _allowed(path: Path, prefix: IPv4Network) -> Iterator[Finding]:
    expected = "prefixes of those who manage switches, as 192.0.2.0/28"
    if not prefix.prefixlen:
        hint = "leave control_plane out, and each switch keeps the list that it has"
        yield Finding(path, "a list that lets everybody in", expected, str(prefix), hint)
    for taken, use in NOT_UNICAST.items():
        if prefix.subnet_of(taken) and not taken.is_loopback:  # the lab's switches are on loopback
            hint = "write the addresses that their packets come from"
            yield Finding(path, f"no host sends from {taken}: {use}", expected, str(prefix), hint)

"""What the intent says of servers that know accounts: TACACS+ or RADIUS."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from nornir_tasks.intent.core.address_fields import HostAddress
from nornir_tasks.intent.core.fields import Unit
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.keys.account import HashName

MAX_SERVERS = 7
"""Of Cumulus Linux, whose servers have a priority of 1 to 8 (schema v5_14); one is left free."""


class TacacsIntent(Part):
    """TACACS+ servers."""

    servers: Annotated[tuple[HostAddress, ...], Field(min_length=1, max_length=MAX_SERVERS)]
    """Servers, reached as ``vrf`` of ``base`` says and asked in the order of their addresses."""
    key: HashName
    """The name of a secret whose value is the key of all servers, in the form that the switch stores: EOS and NX-OS
    type 7, each its own, as ``show running-config`` prints it without quotes; Cumulus Linux the key itself, which it
    does not show: it is sent when it is another than was sent last. Systems with different forms get a name each."""

    def findings(self) -> Iterator[Finding]:
        """Each server once."""
        yield from _twice(self.servers)


class RadiusIntent(Part):
    """RADIUS servers, for authentication on UDP port 1812. What they say of an account's role is theirs."""

    servers: Annotated[tuple[HostAddress, ...], Field(min_length=1, max_length=MAX_SERVERS)]
    """Servers, reached as ``vrf`` of ``base`` says and asked in the order of their addresses."""
    key: HashName
    """The name of a secret whose value is the key of all servers, in the form that the switch stores, as of TACACS+."""
    timeout_s: Annotated[int, Field(ge=1, le=60), Unit("seconds")] | None = None
    """Seconds that a server has to answer. Without it the system's own: 5 on EOS and NX-OS, 3 on Cumulus Linux."""

    def findings(self) -> Iterator[Finding]:
        """Each server once."""
        yield from _twice(self.servers)


def _twice(servers: tuple[HostAddress, ...]) -> Iterator[Finding]:
    for number, server in enumerate(servers):
        if server in servers[:number]:
            found = f"{server}, also in servers[{servers.index(server)}]"
            yield Finding(("servers", number), "a server that is named twice", "each server once", found)


class AaaIntent(Part):
    """Who is asked whether an account may log in, before local accounts are: servers of one kind.

    They are asked first, and local accounts if none answers. So the account that pushes must be known to the servers as
    well: one that they refuse is not looked for locally.
    """

    tacacs: TacacsIntent | None = None
    """TACACS+ servers."""
    radius: RadiusIntent | None = None
    """RADIUS servers; not beside those of TACACS+, as one kind of servers is asked who may log in. On switches whose
    intent names none, RADIUS servers are others' and stay: they may be asked for more than that."""

    def findings(self) -> Iterator[Finding]:
        """One kind of servers."""
        if (self.tacacs is None) == (self.radius is None):
            found = "" if self.tacacs is None else "both"
            hint = "which kind is asked first, and what its refusal means, systems do not agree on: name one"
            yield Finding((), "not one kind of servers of accounts", "tacacs or radius", found, hint=hint)

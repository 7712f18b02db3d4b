"""What the intent says of servers that know accounts: TACACS+."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from nornir_tasks.intent.account_model import HashName
from nornir_tasks.intent.address_fields import HostAddress
from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.part import Part

MAX_SERVERS = 7
"""Of Cumulus Linux, whose servers have a priority of 1 to 8 (schema v5_14); one is left free."""


class TacacsIntent(Part):
    """TACACS+ servers."""

    servers: Annotated[tuple[HostAddress, ...], Field(min_length=1, max_length=MAX_SERVERS)]
    """Servers, reached as ``vrf`` of ``base`` says and asked in the order of their addresses. Any other is removed."""
    key: HashName
    """The name of a secret whose value is the key of all servers, in the form that the switch stores: EOS and NX-OS
    type 7, each its own, as ``show running-config`` prints it without quotes; Cumulus Linux the key itself, which it
    does not show: it is sent when it is another than was sent last. Systems with different forms get a name each."""

    def findings(self) -> Iterator[Finding]:
        """Each server once."""
        for number, server in enumerate(self.servers):
            if server in self.servers[:number]:
                found = f"{server}, also in servers[{self.servers.index(server)}]"
                yield Finding(("servers", number), "a server that is named twice", "each server once", found)


class AaaIntent(Part):
    """Who is asked whether an account may log in, before local accounts are."""

    tacacs: TacacsIntent
    """TACACS+ servers are asked first, and local accounts if none answers. So the account that pushes must be known to
    the servers as well: one that they refuse is not looked for locally."""

"""What the intent says of the first boot of switches and hosts."""

from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from nornir_tasks.intent.core.address_fields import MacAddress
from nornir_tasks.intent.core.fields import Prefix, Written, text
from nornir_tasks.intent.core.findings import Finding, wrong
from nornir_tasks.intent.core.intent_model import Part


def _address_v4(value: object) -> IPv4Address:
    if isinstance(value, IPv4Address):
        return value
    try:
        return IPv4Address(value if isinstance(value, str) else "")
    except ValueError:
        raise wrong(
            "not an IPv4 address", "as 198.51.100.10: switches ask for their first file over IPv4", value
        ) from None


AddressV4 = Annotated[
    IPv4Address, BeforeValidator(_address_v4), Written("IPv4 address", text(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"))
]
Port = Annotated[int, Field(ge=1, le=65535)]


class PxeHostIntent(Part):
    """One host that boots from the network."""

    mac: MacAddress
    """Of the port that it boots from."""
    address: AddressV4
    """What it gets there."""


class PxeIntent(Part):
    """How hosts boot from the network."""

    server: AddressV4
    """Where they fetch their boot file from, by TFTP."""
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9_./-]{1,127}$")]
    """The boot file's path there, as `ipxe.efi`."""
    subnet: Prefix
    """Which they boot in."""
    gateway: AddressV4 | None = None
    """Their default gateway while they boot."""
    hosts: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9.-]{0,62}$")], PxeHostIntent]
    """Host -> its port. Others are not answered."""

    def findings(self) -> Iterator[Finding]:
        """Each port and address once, all within the subnet."""
        taken: dict[object, str] = {}
        for name, host in self.hosts.items():
            for key, value in (("mac", host.mac), ("address", host.address)):
                if (other := taken.setdefault(value, name)) != name:
                    yield Finding(
                        ("hosts", name, key), "another host's", "each host its own", f"{value}, also {other}'s"
                    )
            if host.address not in self.subnet:
                yield Finding(("hosts", name, "address"), "not in the subnet", str(self.subnet), str(host.address))
        if self.gateway is not None and self.gateway not in self.subnet:
            yield Finding(("gateway",), "not in the subnet", str(self.subnet), str(self.gateway))


class Day0Intent(Part):
    """For `nornir day0`: where switches fetch at first boot what they begin with."""

    server: AddressV4
    """Where the files are served, as factory switches reach it. Its certificate is from the `ca` of devices.yml."""
    https_port: Port = 8443
    """All but the first file is fetched from here, and certificates are asked for."""
    http_port: Port = 8080
    """The first file is fetched from here."""
    first: Literal["http", "https"] = "http"
    """How the first file is fetched. No factory switch knows the site's CA; ``https`` is for a server with a
    certificate that your switches trust from the factory."""
    open: bool = False
    """While switches boot for the first time: the lists of the out-of-band plane let their management ports ask this
    server, which must be one of those that may enter the plane, by DHCP and these two ports. Where the plane has no
    `dhcp_relay`, its gateways relay DHCP to it."""
    pxe: PxeIntent | None = None
    """Hosts that boot from the network; without it the DHCP server answers switches alone."""

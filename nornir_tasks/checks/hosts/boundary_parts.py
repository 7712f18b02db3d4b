"""What each role leaves on a host of the boundary: files, tables of nftables, services. The checks compare with it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

FACT = "gpufabric_boundary"
"""Result of the module boundary_facts."""
GENERATED = "host_validate_generated"
"""Path -> text as the role's template gives it with the host's variables; the action plug-in fills it in."""
CERTIFICATES = "/etc/haproxy/certificates"
CONNTRACKD = "/etc/conntrackd/conntrackd.conf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One role."""

    role: str
    marker: str
    """A variable that only hosts of this role have."""
    files: Mapping[str, str]
    """Path -> the role's template for it, or its file that is copied as it is."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """Table with its family, as ``inet guard`` -> the path of its ruleset."""
    units: tuple[str, ...] = ()
    settings: str = ""
    """The path that holds settings of the kernel."""
    only: Mapping[str, str] = field(default_factory=dict)
    """File or service that is there only where a variable is true -> the variable."""
    logs: Mapping[str, int] = field(default_factory=dict)
    """Log that says at least so often that it is alive -> seconds without a word after which it is not."""


_OF_PROXY = (
    "/etc/squid/squid.conf",
    "/etc/systemd/system/squid.service.d/gpufabric-relay.conf",
    "/usr/local/sbin/gpufabric-relay-proxy-works",
    "/etc/keepalived/keepalived.conf",
    "/etc/systemd/system/keepalived.service.d/gpufabric-relay.conf",
    "squid.service",
    "keepalived.service",
)
"""Of a relay, where the intent asks for a proxy."""
_OF_SHARING = (
    "/etc/keepalived/keepalived.conf",
    "/etc/systemd/system/keepalived.service.d/gpufabric-load-balancer.conf",
    "keepalived.service",
)
"""Of a load balancer on a machine of its own."""
PARTS = (
    Part(
        role="firewall",
        marker="firewall_zones",
        files={
            "/etc/gpufabric/firewall.nft": "firewall.nft.j2",
            "/etc/systemd/system/gpufabric-firewall.service": "firewall.service.j2",
            "/etc/systemd/system/nftables.service.d/gpufabric-firewall.conf": "nftables-dropin.conf.j2",
            "/etc/systemd/system/keepalived.service.d/gpufabric-firewall.conf": "keepalived-dropin.conf.j2",
            "/etc/systemd/system/conntrackd.service.d/gpufabric-firewall.conf": "conntrackd-dropin.conf.j2",
            CONNTRACKD: "conntrackd.conf.j2",
            "/etc/keepalived/keepalived.conf": "keepalived.conf.j2",
            "/usr/local/sbin/gpufabric-firewall-state": "state.sh.j2",
            "/etc/sysctl.d/60-gpufabric-firewall.conf": "sysctl.conf.j2",
        },
        tables={"inet gpufabric_firewall": "/etc/gpufabric/firewall.nft"},
        units=("gpufabric-firewall.service", "conntrackd.service", "keepalived.service"),
        settings="/etc/sysctl.d/60-gpufabric-firewall.conf",
    ),
    Part(
        role="nat_gateway",
        marker="nat_gateway_translations",
        files={
            "/etc/gpufabric/nat.nft": "nat.nft.j2",
            "/etc/systemd/system/gpufabric-nat.service": "nat.service.j2",
            "/etc/systemd/system/nftables.service.d/gpufabric-nat.conf": "nftables-dropin.conf.j2",
            "/etc/systemd/system/keepalived.service.d/gpufabric-nat.conf": "keepalived-dropin.conf.j2",
            "/etc/systemd/system/gpufabric-nat-log.service": "nat-log.service.j2",
            "/etc/sysctl.d/61-gpufabric-nat.conf": "sysctl.conf.j2",
            "/usr/local/lib/gpufabric/nat_find.py": "nat_find.py",
            "/usr/local/lib/gpufabric/nat_log.py": "nat_log.py",
            "/usr/local/lib/gpufabric/nat_records.py": "nat_records.py",
        },
        tables={"ip gpufabric_nat": "/etc/gpufabric/nat.nft"},
        units=("gpufabric-nat.service", "gpufabric-nat-log.service"),
        settings="/etc/sysctl.d/61-gpufabric-nat.conf",
        logs={"/var/log/gpufabric-nat/translations.log": 150},  # "alive" each minute
    ),
    Part(
        role="load_balancer",
        marker="load_balancer_published",
        files={
            "/etc/haproxy/haproxy.cfg": "haproxy.cfg.j2",
            "/etc/keepalived/keepalived.conf": "keepalived.conf.j2",
            "/etc/systemd/system/keepalived.service.d/gpufabric-load-balancer.conf": "keepalived-dropin.conf.j2",
            "/etc/sysctl.d/60-gpufabric-load-balancer.conf": "sysctl.conf.j2",
        },
        units=("haproxy.service", "keepalived.service"),
        settings="/etc/sysctl.d/60-gpufabric-load-balancer.conf",
        only=dict.fromkeys(_OF_SHARING, "load_balancer_shares"),
    ),
    Part(
        role="boundary_relay",
        marker="boundary_relay_clients",
        files={
            "/etc/unbound/unbound.conf": "unbound.conf.j2",
            "/etc/chrony/chrony.conf": "chrony.conf.j2",
            "/etc/squid/squid.conf": "squid.conf.j2",
            "/etc/systemd/system/squid.service.d/gpufabric-relay.conf": "squid-dropin.conf.j2",
            "/usr/local/sbin/gpufabric-relay-proxy-works": "works.sh.j2",
            "/etc/keepalived/keepalived.conf": "keepalived.conf.j2",
            "/etc/systemd/system/keepalived.service.d/gpufabric-relay.conf": "keepalived-dropin.conf.j2",
        },
        units=("unbound.service", "chrony.service", "squid.service", "keepalived.service"),
        only={
            **dict.fromkeys(("/etc/unbound/unbound.conf", "unbound.service"), "boundary_relay_dns"),
            **dict.fromkeys(("/etc/chrony/chrony.conf", "chrony.service"), "boundary_relay_ntp"),
            **dict.fromkeys(_OF_PROXY, "boundary_relay_proxy"),
        },
    ),
    Part(
        role="bastion",
        marker="bastion_users",
        files={
            "/etc/ssh/sshd_config": "sshd_config.j2",
            "/etc/pam.d/sshd": "pam.j2",
            "/etc/gpufabric/bastion.nft": "bastion.nft.j2",
            "/etc/gpufabric/bastion.closed": "bastion-closed.nft.j2",
            "/etc/systemd/system/gpufabric-bastion.service": "bastion.service.j2",
            "/etc/systemd/system/nftables.service.d/gpufabric-bastion.conf": "nftables-dropin.conf.j2",
            "/etc/systemd/system/ssh.service.d/gpufabric-bastion.conf": "ssh-dropin.conf.j2",
            "/etc/systemd/system/gpufabric-bastion-jumps.service": "jumps.service.j2",
            "/usr/local/sbin/gpufabric-bastion-session": "session.sh.j2",
            "/usr/local/sbin/gpufabric-bastion-jumps": "jumps.py",
        },
        tables={"inet gpufabric_bastion": "/etc/gpufabric/bastion.nft"},
        units=("gpufabric-bastion.service", "gpufabric-bastion-jumps.service", "ssh.service"),
    ),
)


def parts(variables: Mapping[str, Any]) -> tuple[Part, ...]:
    """The roles of a host; none: it is no host of the boundary."""
    return tuple(each for each in PARTS if each.marker in variables)


def files(variables: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Path of each file that a host should have -> role and template, or file of the role."""
    return {
        path: (part.role, template)
        for part in parts(variables)
        for path, template in part.files.items()
        if _is_there(part, path, variables)
    }


def units(variables: Mapping[str, Any]) -> tuple[str, ...]:
    """Services of the host's roles."""
    found = (unit for part in parts(variables) for unit in part.units if _is_there(part, unit, variables))
    return tuple(dict.fromkeys(found))


def _is_there(part: Part, what: str, variables: Mapping[str, Any]) -> bool:
    return what not in part.only or bool(variables.get(part.only[what]))


def settings(variables: Mapping[str, Any]) -> dict[str, str]:
    """Setting of the kernel -> its value, as the generated files have them."""
    generated = variables.get(GENERATED) or {}
    lines = [line for part in parts(variables) for line in generated.get(part.settings, "").splitlines()]
    named = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in named}


@dataclass(frozen=True, slots=True)
class Shared:
    """An address that moves between two hosts."""

    zone: str
    port: str
    address: str
    """With its length."""

    @property
    def bare(self) -> str:
        """Without its length."""
        return self.address.partition("/")[0]


def shared(variables: Mapping[str, Any]) -> tuple[Shared, ...]:
    """All addresses that move, by zone."""
    return tuple(_shared(variables))


def _shared(variables: Mapping[str, Any]) -> Iterator[Shared]:
    for zone in variables.get("firewall_zones") or ():
        for key in ("shared", "shared_v6"):
            if zone.get(key):
                yield Shared(zone["name"], zone["port"], str(zone[key]))
        for address in zone.get("published") or ():
            yield Shared(zone["name"], zone["port"], str(address))
    if variables.get("load_balancer_shares"):
        found = (address for each in variables["load_balancer_published"] for address in each["addresses"])
        for address in dict.fromkeys(found):
            length = 128 if ":" in address else 32
            yield Shared("published", variables["load_balancer_port"], f"{address}/{length}")
    if proxy := variables.get("boundary_relay_proxy"):
        for key in ("shared", "shared_v6"):
            if proxy.get(key):
                yield Shared("proxy", variables["boundary_relay_port"], str(proxy[key]))


def certificates(variables: Mapping[str, Any]) -> dict[str, str]:
    """Published service that ends TLS -> the file with its certificate on the host."""
    given = variables.get("load_balancer_certificates") or {}
    return {
        each["name"]: f"{CERTIFICATES}/{'gpufabric-' if each['name'] in given else ''}{each['name']}.pem"
        for each in variables.get("load_balancer_published") or ()
        if each["tls_ports"]
    }

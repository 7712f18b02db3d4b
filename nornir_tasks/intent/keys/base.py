"""What the intent says of the base configuration of switches: what they have besides their part in a fabric."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from nornir_tasks.intent.core.address_fields import HostAddress
from nornir_tasks.intent.core.banner_field import Banner
from nornir_tasks.intent.core.fields import Written, text
from nornir_tasks.intent.core.findings import Finding, wrong
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.core.timezone_field import Timezone
from nornir_tasks.intent.keys.aaa import AaaIntent
from nornir_tasks.intent.keys.account import AccountIntent, AccountName, account_findings
from nornir_tasks.intent.keys.management_access import ApiIntent, ControlPlaneIntent, SshIntent
from nornir_tasks.intent.keys.snmp import SnmpIntent

DEFAULT_VRF = "default"
_VRF = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}")


def _vrf(value: object) -> str:
    if not isinstance(value, str) or not _VRF.fullmatch(value):
        raise wrong("not the name of a VRF", "1-32 letters, digits, dashes, as MGMT; or default", value)
    return value


_OUT_OF_BAND = re.compile(r"(?i:mgmt\b.*|management\b.*|oob\b.*)")
_DOMAIN = re.compile(r"(?=.{1,64}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
MAX_NAME_SERVERS = 3
"""resolv.conf(5), MAXNS: a resolver asks no more; Cumulus Linux and EOS have the C library's."""


def _domain(value: object) -> str:
    if not isinstance(value, str) or not _DOMAIN.fullmatch(value):
        raise wrong("not a domain name", "1-64 lower-case letters, digits, dashes and dots, as example.net", value)
    return value


DomainName = Annotated[str, BeforeValidator(_domain), Written("domain name, 1-64 characters", text(_DOMAIN))]


class DnsIntent(Part):
    """What switches ask for names, and the domain they are in."""

    servers: Annotated[tuple[HostAddress, ...], Field(min_length=1, max_length=MAX_NAME_SERVERS)]
    """Name servers, reached as ``vrf`` says. On EOS and NX-OS a change needs ``--allow-management``. On NX-OS the line
    with the servers of a VRF is one: that of others is in the way until it is adopted."""
    domain: DomainName | None = None
    """The domain name of switches, the same on all. Without it none is configured. Cumulus Linux 5.13 has none."""

    def findings(self) -> Iterator[Finding]:
        """Each server once."""
        yield from _twice("servers", self.servers)


def _twice(section: str, servers: tuple[HostAddress, ...] | None) -> Iterator[Finding]:
    for number, server in enumerate(servers or ()):
        if servers and server in servers[:number]:
            found = f"{server}, also in {section}[{servers.index(server)}]"
            yield Finding((section, number), "a server that is named twice", "each server once", found)


ManagementVrf = Annotated[
    str, BeforeValidator(_vrf), Written("name of a VRF, 1-32 characters, or `default`", text(_VRF))
]


class BaseIntent(Part):
    """What is managed of the base configuration of switches: sections with a key here. Others stay as they are.

    What others have in a managed section, and what no push of this site added (servers, accounts, users), stays too; a
    plan names it, and it goes when it is adopted (``--adopt SWITCH:OBJECT``). A setting of theirs of which a switch has
    one (a banner, a host name) is in the way of ours: a push is refused until it is adopted.
    """

    vrf: ManagementVrf = "MGMT"
    """The management VRF, as EOS switches have it; on NX-OS it is always ``management``, on Cumulus Linux ``mgmt``.
    ``default``: servers are reached in the default VRF, on all systems."""
    hostname: Literal["managed"] | None = None
    """``managed``: each switch is called as in the design. A change of it needs ``--allow-management``."""
    management: Literal["managed"] | None = None
    """``managed``: the management VRF, the address of each switch's management port and the default route there, as an
    out-of-band plane gives them. Other addresses of the port, and other default routes of that VRF, are in the way
    until they are adopted (on Cumulus Linux a static route stays); once a push has set up the port, they are removed. A
    change needs ``--allow-management``, and of an address it does not last by a push: after the commit the switch is
    asked again where ``devices.yml`` has it, does not answer there, and its own timer takes the change back. So an
    address is changed at the switch's console, and then in ``devices.yml``."""
    banner: Banner | None = None
    """What switches show before a login: ``banner login`` on EOS, ``banner motd`` on NX-OS, the message before login of
    Cumulus Linux. A text of others there is in the way until it is adopted."""
    timezone: Timezone | None = None
    """The time that logs are in. NX-OS knows offsets in place of zones: ``UTC`` alone is taken there. A zone of others
    is in the way until it is adopted."""
    dns: DnsIntent | None = None
    """Name servers and domain name."""
    ntp: Annotated[tuple[HostAddress, ...], Field(min_length=1)] | None = None
    """Time servers. Servers and peers of others stay until they are adopted; keys and source interfaces stay."""
    syslog: tuple[HostAddress, ...] | None = None
    """Servers that the log is sent to, by UDP; NX-OS sends messages of severity 5 (notification) and worse. Servers of
    others stay until they are adopted; what is logged otherwise stays. Empty: it is sent to none of ours."""
    api: ApiIntent | None = None
    """The API that switches are configured by. A change of it needs ``--allow-management``."""
    ssh: SshIntent | None = None
    """SSH to switches. A change of it needs ``--allow-management``."""
    control_plane: ControlPlaneIntent | None = None
    """Who reaches switches over their management ports. A change of it needs ``--allow-management``."""

    accounts: dict[AccountName, AccountIntent] | None = None
    """Local accounts, by name: what is left when no server of accounts answers. One that was named here and is not any
    more is removed. Accounts of others stay until they are adopted, and ``validate`` fails as long as they can log in.
    The one that pushes (``username`` of devices.yml) and those that a system does not do without (NX-OS ``admin``,
    Cumulus Linux ``cumulus`` and ``root``) stay as they are and may log in, unless they are named here. An account that
    is named is as it is here, however it was made: everything else of it (SSH keys) is removed. A change needs
    ``--allow-management``, and is taken back by the switch's timer where the account that pushes cannot log in after
    it. Cumulus Linux shows no hashes, so there one is sent when the secret's value is another than was sent last, and
    what another tool set is not seen."""

    snmp: SnmpIntent | None = None
    """SNMP. On NX-OS a change needs ``--allow-management``, as its users and accounts are one. Cumulus Linux takes
    passphrases alone, in clear text, and shows others in their place, so it is refused there."""

    aaa: AaaIntent | None = None
    """Servers that know accounts. Needs ``accounts``: what is left when none of them answers. Who others have asked
    about logins (method lists, on Cumulus Linux the order of who is asked) is in the way until it is adopted; servers
    of theirs, groups of these and what else asks them stay until then. On Cumulus Linux, which has one list of
    servers, those of others that stay are asked as well. A change needs ``--allow-management``, and is taken back where
    the account that pushes cannot log in after it."""

    @property
    def management_vrf(self) -> str | None:
        """``vrf``, where that is one of management alone; None: the default one."""
        return None if self.vrf == DEFAULT_VRF else self.vrf

    @property
    def has_fabric_list(self) -> bool:
        """Has the default VRF a list of its own?"""
        return self.control_plane is not None and self.control_plane.fabric

    def findings(self) -> Iterator[Finding]:
        """Each server once, and at least one section."""
        if self.aaa is not None and self.accounts is None:
            hint = "declare an account under accounts that is left when no server answers"
            yield Finding(("aaa",), "servers of accounts without a local account", "accounts as well", hint=hint)
        yield from account_findings(self.accounts) if self.accounts is not None else ()
        for section, servers in (("ntp", self.ntp), ("syslog", self.syslog)):
            yield from _twice(section, servers)
        if self.management is not None and not _OUT_OF_BAND.fullmatch(self.vrf):
            expected = "a name that no plane can have: MGMT, or what begins with mgmt, management or oob"
            yield Finding(("vrf",), "not a management VRF, which management: managed needs", expected, self.vrf)
        if self.control_plane is not None and self.management_vrf is None and not self.control_plane.fabric:
            hint = "in the default VRF the fabric's own sessions are the control plane's as well: fabric lets them in"
            what = "an access list of the control plane without a management VRF"
            expected = "a management VRF, as vrf: MGMT; or control_plane: {fabric: true}"
            yield Finding(("control_plane",), what, expected, "vrf: default", hint=hint)
        yield from self._snmp_findings()
        sections = [each for each in type(self).model_fields if each != "vrf"]
        if all(getattr(self, each) is None for each in sections):
            hint = "base: unmanaged leaves all of it as switches have it"
            expected = f"at least one of {', '.join(sections)}"
            yield Finding((), "no section of base configuration is managed", expected, hint=hint)

    def _snmp_findings(self) -> Iterator[Finding]:
        """Managers are let in by a list that there is; a user is no account."""
        if self.snmp is None:
            return
        if self.snmp.managers is not None and self.control_plane is None:
            hint = "without that list everybody may ask; leave managers out, or say who gets in under control_plane"
            yield Finding(("snmp", "managers"), "managers without a list that lets them in", "control_plane", hint=hint)
        for name in self.snmp.users:
            if name in (self.accounts or {}):
                hint = "a system may keep both as one, with one password and one end"
                yield Finding(("snmp", "users", name), "a user with the name of an account", "another name", hint=hint)


def _unmanaged(value: object) -> object:
    if value != "unmanaged":
        raise wrong("not a valid value", "unmanaged, or sections that are managed, as {ntp: [192.0.2.123]}", value)
    return value


def _kind(value: object) -> str:
    return ":managed" if isinstance(value, dict | BaseIntent) else ":unmanaged"


BaseChoice = Annotated[
    Annotated[Literal["unmanaged"], BeforeValidator(_unmanaged), Tag(":unmanaged")]
    | Annotated[BaseIntent, Tag(":managed")],
    Discriminator(_kind),
]
"""``unmanaged``: base configuration is others' and stays as it is; or what is managed of it."""

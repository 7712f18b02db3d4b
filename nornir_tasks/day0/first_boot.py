"""What one switch fetches at first boot: its script, and the configuration that the script installs."""

import hashlib
import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jinja2

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.platforms.first_boot import FirstBootFacts

ACCOUNT = "gpufabric-day0"
"""The one-time account, on every switch."""
CLOCKS_DIFFER_S = 3600
"""The clock of the server may be so far behind that of the machine that made the files."""
VALID_S = 30 * 86400
"""A switch that asks later than this after its files were made believes no time: they are to be made again."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a switch is known by before it has a name. At least one of both."""

    serial: str | None
    mac: str | None
    """Of its management port, lower case with colons."""

    @property
    def text(self) -> str:
        """As file names and reports have it: the serial number, else the MAC address."""
        return self.serial or self.mac or ""


@dataclass(frozen=True, slots=True)
class Server:
    """Where switches fetch from and enrol."""

    boot_url: str
    """Of the first file, without a slash at its end: http, as no factory switch knows the site's CA."""
    url: str
    """Of all else: https, verified with ``authority``."""
    authority: str
    """The site's CA in PEM."""


@dataclass(frozen=True, slots=True)
class OneTime:
    """What is used once. Names stand here instead of values until they are sent."""

    account: str
    password_hash: str
    nobodys_hash: str
    """Of a password that is known to no one: for accounts that a factory switch has and that cannot be removed."""
    token: str


@dataclass(frozen=True, slots=True)
class Believable:
    """The times that a switch takes from the server for its clock, which may be years off: seconds since 1970."""

    earliest_s: int
    latest_s: int

    @classmethod
    def after(cls, made_s: int) -> "Believable":
        """Of files that were made then."""
        return cls(made_s - CLOCKS_DIFFER_S, made_s + VALID_S)


@dataclass(frozen=True, slots=True)
class NewSwitch:
    """One switch at its first boot."""

    name: str
    os: str
    facts: Capabilities
    """Of its release."""
    identity: Identity
    management: ManagementAddress
    vrf: str | None
    """The management VRF, by the name that this OS has for it; None: the default one."""
    api_port: int | None
    """Of the HTTPS API; None: the OS's own."""
    certificate: str
    """The name that the switch has for the certificate of its API."""
    has_api: bool
    """Does the managed base say how its API is served?"""
    base: str
    """What is managed of its base configuration, as rendered: lines, NVUE YAML."""


@dataclass(frozen=True, slots=True)
class FirstBoot:
    """The two files of one switch."""

    script: str
    config: str
    config_sha256: str

    @property
    def script_sha256(self) -> str:
        """Of the script as it is handed out."""
        return hashlib.sha256(self.script.encode()).hexdigest()


def first_boot(
    switch: NewSwitch,
    server: Server,
    once: OneTime,
    believable: Believable,
    begins: FirstBootFacts,
    environment: jinja2.Environment,
) -> FirstBoot:
    """Both files of one switch. The same arguments give the same bytes."""
    facts: dict[str, Any] = {"switch": switch, "once": once}
    own = environment.get_template(begins.config).render(facts)
    config = begins.combine(own, switch.base)
    digest = hashlib.sha256(config.encode()).hexdigest()
    more = {"server": server, "believable": believable, "config_sha256": digest}
    script = environment.get_template(begins.script).render(facts, **more)
    return FirstBoot(begins.finish(script), config, digest)


def filters() -> Mapping[str, Callable[[Any], str]]:
    """What the templates need beside Jinja's own: ``sh``, ``py`` and ``json`` quote a text for each of these."""
    return {"sh": shlex.quote, "py": repr, "json": json.dumps}

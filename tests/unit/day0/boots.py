"""First boots of one switch per system, with made-up secrets."""

from dataclasses import replace

from needs import require

from nornir_tasks.day0.first_boot import Believable, FirstBoot, Identity, NewSwitch, OneTime, Server, first_boot
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.files import programs
from nornir_tasks.files.templates import day0_environment
from nornir_tasks.platforms import platform

RELEASES = {"eos": "4.33.1F", "nvue": "5.14", "nxos": "10.4(3)"}
ASICS = {"eos": "tomahawk4", "nvue": "spectrum4", "nxos": "cloudscale-gx2"}
VRFS = {"eos": "MGMT", "nvue": "mgmt", "nxos": "management"}
BASE = {
    "eos": "ntp server vrf MGMT 192.0.2.123\n",
    "nvue": 'service:\n  ntp:\n    "mgmt":\n      server:\n        "192.0.2.123": {}\n',
    "nxos": "ntp server 192.0.2.123 use-vrf management\n",
}
SYSTEMS = tuple(RELEASES)
AUTHORITY = "-----BEGIN CERTIFICATE-----\nMIIBfake\n-----END CERTIFICATE-----\n"
SERVER = Server("http://198.51.100.10:8080", "https://198.51.100.10:8443", AUTHORITY)
BELIEVABLE = Believable.after(1_800_000_000)
ONCE = OneTime("day0", "$6$salt$hash", "$5$salt$nobody", "T0KEN")


KNOWN = Identity("ABC123", "02:00:00:00:00:01")


def new_switch(system: str, identity: Identity = KNOWN, **changes: object) -> NewSwitch:
    made = NewSwitch(
        name="leaf-1",
        os=system,
        facts=platform(system).facts.capabilities(RELEASES[system], ASICS[system]),
        identity=identity,
        management=ManagementAddress("192.0.2.11", 24, "192.0.2.1"),
        vrf=VRFS[system],
        api_port=None,
        certificate="day0",
        has_api=False,
        base=BASE[system],
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def boot(switch: NewSwitch, server: Server = SERVER, once: OneTime = ONCE) -> FirstBoot:
    return first_boot(switch, server, once, BELIEVABLE, platform(switch.os).first_boot, day0_environment())


def program(name: str) -> str:
    """Servers stand in a folder that not every user's path has."""
    require(name)
    found = programs.find(name)
    assert found
    return found

"""One table of behaviours, run twice on each operating system: by our sessions, and by NAPALM.

For EOS and NX-OS that is NAPALM as it is published; for Cumulus Linux, which it does not know, our NAPALM driver as
``napalm.get_network_driver("nvue")`` finds it. Where both say the same of one switch, neither is right by accident.
"""

import itertools
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import certifi
import napalm
import pytest
from by_hand import hands
from described_lab import LabDescription, RunningLab
from pyeapi.eapilib import CommandError

from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.session import Endpoint, SwitchSession
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import ConfigTree

SYSTEMS = ("eos", "nvue", "nxos")
FIRST_PORT = {"eos": "Ethernet1/1", "nxos": "Ethernet1/1", "nvue": "swp1"}
FREE_PORTS = {"eos": "Ethernet{}/1", "nxos": "Ethernet1/{}", "nvue": "swp{}"}
TIMER_S = 60
fresh = itertools.count(2)
"""Each test that changes something takes a port of its own."""


class Client(Protocol):
    """What both can be asked; the words are neutral."""

    def facts(self) -> tuple[str, str, str]:
        """Host name, serial number, release."""

    def established(self) -> dict[str, int]:
        """Neighbour -> AS of each session that is up in the default VRF."""

    def heard(self) -> set[tuple[str, str, str]]:
        """(port, device, its port) by LLDP."""

    def ports_up(self) -> set[str]: ...

    def running(self) -> str: ...

    def stage(self, port: str, text: str) -> str:
        """Make a description of this port the candidate; returns what the switch would change."""

    def discard(self) -> None: ...

    def commit(self) -> None: ...

    def commit_under_timer(self) -> None: ...

    def keep(self) -> None: ...

    def close(self) -> None: ...


@dataclass
class Ours:
    """A SwitchSession, as a push uses it."""

    os: str
    endpoint: Endpoint
    session: SwitchSession = field(init=False)
    token: str = ""

    def __post_init__(self) -> None:
        self.session = open_session(self.os, self.endpoint)

    def facts(self) -> tuple[str, str, str]:
        found = self.session.read().facts
        return found.hostname, found.serial, found.release

    def established(self) -> dict[str, int]:
        found = {each.address: each.remote_as for each in self.session.observe().bgp if each.established}
        assert self.session.established() == {(None, address) for address in found}  # what a push asks, alone
        return found

    def heard(self) -> set[tuple[str, str, str]]:
        return {(each.port, each.remote_device, each.remote_port) for each in self.session.observe().lldp}

    def ports_up(self) -> set[str]:
        return {each.name for each in self.session.observe().ports if each.admin_up and each.oper_up}

    def running(self) -> str:
        return self.session.read().text

    def stage(self, port: str, text: str) -> str:
        system, wanted = platform(self.os), ConfigTree()
        path = ("interface", port, f'description: "{text}"')
        wanted.add_path(path if self.os == "nvue" else (f"interface {port}", f"description {text}"))
        made = system.candidate(system.to_tree(self.running()), ConfigTree(), wanted)
        return "\n".join(sorted(map(str, self.session.stage(made).changes)))

    def discard(self) -> None:
        self.session.abort()

    def commit(self) -> None:
        self.session.confirm(self.session.commit(TIMER_S))

    def commit_under_timer(self) -> None:
        self.token = self.session.commit(TIMER_S)

    def keep(self) -> None:
        self.session.confirm(self.token)

    def close(self) -> None:
        self.session.close()


@dataclass
class Napalm:
    """A NAPALM driver, as anybody uses it."""

    os: str
    endpoint: Endpoint
    driver: Any = field(init=False)
    is_open: bool = False

    def __post_init__(self) -> None:
        there = self.endpoint
        options: dict[str, Any] = {"port": there.api_port}
        if self.os == "eos":
            options["context"] = ssl.create_default_context(cafile=there.ca_file)
        else:
            options["ssl_verify" if self.os == "nxos" else "ca_file"] = str(there.ca_file)
        made = napalm.get_network_driver(self.os)
        self.driver = made(there.address, there.username, there.password, timeout=20, optional_args=options)

    @property
    def opened(self) -> Any:
        if not self.is_open:
            self.driver.open()
            self.is_open = True
        return self.driver

    def facts(self) -> tuple[str, str, str]:
        found = self.opened.get_facts()
        return found["hostname"], found["serial_number"], found["os_version"]

    def established(self) -> dict[str, int]:
        peers = self.opened.get_bgp_neighbors()["global"]["peers"]
        return {address: each["remote_as"] for address, each in peers.items() if each["is_up"]}

    def heard(self) -> set[tuple[str, str, str]]:
        found = self.opened.get_lldp_neighbors()
        return {(port, each["hostname"], each["port"]) for port, rows in found.items() for each in rows}

    def ports_up(self) -> set[str]:
        return {name for name, each in self.opened.get_interfaces().items() if each["is_up"] and each["is_enabled"]}

    def running(self) -> str:
        return str(self.opened.get_config(retrieve="running")["running"])

    def stage(self, port: str, text: str) -> str:
        words = f"interface {port}\n  description {text}\n"
        data = f'interface: {{{port}: {{description: "{text}"}}}}'
        self.opened.load_merge_candidate(config=data if self.os == "nvue" else words)
        return str(self.driver.compare_config())

    def discard(self) -> None:
        self.driver.discard_config()

    def commit(self) -> None:
        self.driver.commit_config()

    def commit_under_timer(self) -> None:
        self.driver.commit_config(revert_in=TIMER_S)

    def keep(self) -> None:
        self.driver.confirm_commit()

    def close(self) -> None:
        if self.is_open:
            with suppress(CommandError):  # eos aborts a session at its end, one whose timer fired too
                self.driver.close()


CLIENTS: dict[str, Callable[[str, Endpoint], Client]] = {"ours": Ours, "napalm": Napalm}
BOTH = pytest.mark.parametrize(("os", "client"), list(itertools.product(SYSTEMS, CLIENTS)))
WITH_TIMER = pytest.mark.parametrize(
    ("os", "client"), [each for each in itertools.product(SYSTEMS, CLIENTS) if each != ("nxos", "napalm")]
)
"""NAPALM's nxos driver has no commit timer: it raises NotImplementedError for ``revert_in``."""


def link(os: str, end: int) -> dict[str, Any] | list[str]:
    """One end of a /31 with one eBGP session, in the system's own words."""
    mine, its, asn = f"10.0.0.{end}", f"10.0.0.{1 - end}", 65000 + end
    if os == "nvue":
        neighbor = {its: {"remote-as": 65001 - end, "type": "numbered"}}
        return {
            "interface": {"swp1": {"ip": {"address": {f"{mine}/31": {}}}, "link": {"state": {"up": {}}}}},
            "router": {"bgp": {"enable": "on", "autonomous-system": asn, "router-id": f"10.255.0.{end + 1}"}},
            "vrf": {"default": {"router": {"bgp": {"enable": "on", "neighbor": neighbor}}}},
        }
    port = ["interface Ethernet1/1", "no switchport", f"ip address {mine}/31", "no shutdown", "exit"]
    if os == "eos":
        return [*port, "ip routing", f"router bgp {asn}", f"neighbor {its} remote-as {65001 - end}"]
    bgp = [f"router bgp {asn}", f"neighbor {its}", f"remote-as {65001 - end}", "address-family ipv4 unicast"]
    return ["feature lldp", *port, *bgp]


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> RunningLab:
    """Two switches of each system, cabled, and configured by hand."""
    description = LabDescription(tmp_path_factory.mktemp("conformance") / "lab")
    for os in SYSTEMS:
        for end in (0, 1):
            description.add_device(f"{os}-{end}", os, asn=65000 + end)
        description.add_cable((f"{os}-0", FIRST_PORT[os]), (f"{os}-1", FIRST_PORT[os]))
    running = start_module_lab(description)
    for name, hand in hands(description.directory).items():
        words = link(hand.os, int(name[-1]))
        if isinstance(words, dict):
            hand.nvue(words)
        else:
            hand.configure(*words)
    return running


@pytest.fixture
def reach(lab: RunningLab) -> Iterator[Callable[..., Client]]:
    """Clients of the first switch of a system; all are closed in the end."""
    made: list[Client] = []

    def one(os: str, client: str, **changes: Any) -> Client:
        made.append(CLIENTS[client](os, lab.endpoint(f"{os}-0", **changes)))
        return made[-1]

    yield one
    for each in made:
        each.close()


@pytest.fixture
def change(os: str, client: str) -> tuple[str, str]:
    """A port nobody uses, and a description that stands nowhere else."""
    number = next(fresh)
    return FREE_PORTS[os].format(number), f"port {number} for {client}"


@BOTH
def test_a_switch_says_who_it_is(lab: RunningLab, reach: Callable[..., Client], os: str, client: str) -> None:
    found = next(each for each in lab.description.devices if each["name"] == f"{os}-0")
    *name, release = reach(os, client).facts()
    assert name == [found["name"], found["serial"]]
    assert release.startswith(found["release"])  # NAPALM shows EOS's internal version, 4.33.1F-<build>


@BOTH
@pytest.mark.parametrize("changes", [{"password": "wrong-word"}, {"username": "nobody"}], ids=["password", "user"])
def test_wrong_credentials_let_nobody_in_and_the_password_is_not_told(
    reach: Callable[..., Client], os: str, client: str, changes: dict[str, str]
) -> None:
    with pytest.raises(Exception, match=r".") as refused:
        reach(os, client, **changes).running()
    assert "wrong-word" not in str(refused.value)


@BOTH
def test_a_certificate_of_an_unknown_authority_is_refused_before_anything_is_sent(
    lab: RunningLab, reach: Callable[..., Client], os: str, client: str
) -> None:
    before = lab.control.ask("requests")[f"{os}-0"]["requests"]
    with pytest.raises(Exception, match=r"."):
        reach(os, client, ca_file=Path(certifi.where())).running()
    assert lab.control.ask("requests")[f"{os}-0"]["requests"] == before


@BOTH
def test_the_session_of_matching_ends_is_up_with_the_far_ends_as(
    reach: Callable[..., Client], os: str, client: str
) -> None:
    assert reach(os, client).established() == {"10.0.0.1": 65001}


@BOTH
def test_the_far_end_of_the_cable_is_heard(reach: Callable[..., Client], os: str, client: str) -> None:
    assert reach(os, client).heard() == {(FIRST_PORT[os], f"{os}-1", FIRST_PORT[os])}


@BOTH
def test_the_cabled_port_is_up_and_no_other(reach: Callable[..., Client], os: str, client: str) -> None:
    free = {FREE_PORTS[os].format(number) for number in range(2, 32)}
    up = reach(os, client).ports_up()
    assert FIRST_PORT[os] in up
    assert not up & free


@BOTH
def test_what_is_staged_is_shown_and_once_discarded_leaves_nothing(
    reach: Callable[..., Client], os: str, client: str, change: tuple[str, str]
) -> None:
    opened = reach(os, client)
    before = opened.running()
    assert change[1] in opened.stage(*change)
    assert change[1] not in opened.running()
    opened.discard()
    assert opened.running().splitlines()[6:] == before.splitlines()[6:]  # NX-OS dates its first lines


@BOTH
def test_what_is_staged_by_one_is_not_seen_by_another(
    reach: Callable[..., Client], os: str, client: str, change: tuple[str, str]
) -> None:
    first, second = reach(os, client), reach(os, client)
    first.stage(*change)
    assert change[1] not in second.running()
    second.discard()
    first.commit()
    assert change[1] in second.running()


@BOTH
def test_what_is_committed_runs_and_is_there_for_the_next_client(
    reach: Callable[..., Client], os: str, client: str, change: tuple[str, str]
) -> None:
    opened = reach(os, client)
    opened.stage(*change)
    opened.commit()
    for each in CLIENTS:
        assert change[1] in reach(os, each).running()


@WITH_TIMER
def test_a_commit_that_nobody_confirms_goes_back_when_its_timer_fires(
    lab: RunningLab, reach: Callable[..., Client], os: str, client: str, change: tuple[str, str]
) -> None:
    opened = reach(os, client)
    opened.stage(*change)
    opened.commit_under_timer()
    assert change[1] in opened.running()
    lab.control.ask("advance-clock", seconds=TIMER_S + 1)
    assert change[1] not in opened.running()


@WITH_TIMER
def test_a_commit_that_is_confirmed_stays(
    lab: RunningLab, reach: Callable[..., Client], os: str, client: str, change: tuple[str, str]
) -> None:
    opened = reach(os, client)
    opened.stage(*change)
    opened.commit_under_timer()
    opened.keep()
    lab.control.ask("advance-clock", seconds=TIMER_S + 1)
    assert change[1] in opened.running()

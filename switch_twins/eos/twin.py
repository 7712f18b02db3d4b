"""The EOS twin: one simulated Arista switch behind eAPI."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address

from ..lab_context import LabContext
from ..seeds import Seedable
from ..spec import DeviceSpec
from ..state import SwitchState
from ..traffic.rules import SwitchRules
from ..twin import RequestCounter
from .configuration import Configuration
from .eapi import EapiServer
from .extract import routing_model, switch_state
from .flags import is_on
from .listing import listing
from .machine import POWER_LOSS, USER, Machine
from .outside import with_outside
from .passwords import matches
from .rights import PRIVILEGED_LEVEL, level
from .seedable import SEEDABLE
from .served import served_api, serves_ssh
from .shell import Shell
from .ssh import SshServer
from .terminal import Terminal
from .traffic_rules import traffic_rules
from .view import View


class EosTwin:
    """One switch. It knows only its day-0 configuration, what was pushed, and its cables."""

    def __init__(self, device: DeviceSpec, lab: LabContext) -> None:
        self.name, self.device = device.name, device
        self.requests = RequestCounter()
        self.on_commit: Callable[[], None] = lambda: None
        self._lab = lab
        self.configuration = Configuration(device, (lab.username, lab.password), lab.clock)
        self.machine = Machine(lab.clock.now_s(), routing_model(self.configuration.running))
        self.machine.reload = lambda: self._start_anew(USER)
        self.configuration.on_change = self._changed
        self._state: SwitchState | None = None
        self._verified: set[tuple[str, str, str]] = set()
        self.api = served_api(device, lab.certificates, lambda: self.configuration.running)
        self._ssh = SshServer(self, lambda: lab.certificates.host_key(device))
        self.machine.certificate = self.api.file
        self._server = EapiServer(
            self.name, self.authenticate, self.eapi_shell, self.is_reachable, self.api, self.requests
        )

    def state(self) -> SwitchState:
        """The running configuration's meaning for neighbours; derived once after each change."""
        if self._state is None:
            plain = switch_state(self.name, self.configuration.running)
            self._state = with_outside(plain, self.configuration.running)
        return self._state

    def mac(self, interface: str) -> str:
        """The MAC address of one of its interfaces, with colons."""
        return self.view().mac_of(interface)

    def running_text(self) -> str:
        """``show running-config``."""
        return listing(self.device, self.configuration.running, "show running-config")

    def boot(self) -> None:
        """Begin again with the startup configuration, after its power was gone."""
        self._start_anew(POWER_LOSS)

    def _start_anew(self, cause: str) -> None:
        self.configuration.boot()
        self.machine.booted(self._lab.clock.now_s(), cause, routing_model(self.configuration.running))

    def seedable(self) -> dict[str, Seedable]:
        """What a test may seed."""
        return SEEDABLE

    def seeded_on(self, on: str) -> list[str]:
        """The ports or peers there are."""
        if on == "port":
            return [each.name for each in self.state().interfaces]
        return [neighbor.address for instance in self.state().bgp for neighbor in instance.neighbors]

    def traffic_rules(self) -> SwitchRules:
        """What it was told of classes, queues, pauses and marks."""
        return traffic_rules(self.view())

    async def start(self) -> None:
        """Listen for eAPI and SSH. Raises OSError if the address is taken."""
        await self._server.start(self.device.address, self.device.api_port)
        await self._ssh.start()

    async def stop(self) -> None:
        """Close everything."""
        await self._server.stop()
        await self._ssh.stop()

    def shell(self, user: str) -> Shell:
        """A command line for one request."""
        return Shell(self.view(), user)

    def eapi_shell(self, user: str) -> Shell:
        """A command line for one request over eAPI, privileged at once for an account of that level."""
        return Shell(self.view(), user, is_privileged=level(self.configuration.running, user) == PRIVILEGED_LEVEL)

    def terminal(self, user: str) -> Terminal:
        """A login over SSH: privileged at once if authorization looks at the accounts' levels."""
        tree = self.configuration.running
        line = tree.first("aaa authorization exec default")
        by_level = line is not None and "local" in line.words.split()
        return Terminal(self.shell(user), is_privileged=by_level and level(tree, user) == PRIVILEGED_LEVEL)

    def view(self) -> View:
        """The input of show commands, as of now."""
        return View(self.device, self.configuration, self._lab.fabric, self._lab.clock, self.state, self.machine)

    def authenticate(self, user: str, password: str) -> bool:
        """Check a login against the local users of the running configuration."""
        for node in self.configuration.running.find(f"username {user}"):
            stored = node.params.get("hash", "")
            if (user, password, stored) in self._verified:
                return True
            if matches(password, stored):
                self._verified.add((user, password, stored))
                return True
        return False

    def has_key(self, user: str, key: str) -> bool:
        """Is it among the account's keys (``username NAME ssh-key KEY``)?"""
        lines = self.configuration.running.find(f"username {user} ssh-key")
        return any(node.params.get("key", "").split()[:2] == key.split()[:2] for node in lines)

    def is_ssh_reachable(self, client: str) -> bool:
        """Does the running configuration let this client reach SSH at the management address?"""
        return serves_ssh(self.configuration.running, self.device, IPv4Address(client))

    def is_reachable(self) -> bool:
        """Does the running configuration let a client reach eAPI at the management address?

        Conditions: the management port is up and has the address; eAPI is on, with HTTPS, and on in the port's VRF; the
        certificate of its profile is there.
        """
        tree = self.configuration.running
        port = tree.first("interface Management1")
        api = tree.first("management api http-commands")
        if port is None or api is None or is_on(port, "shutdown", False):
            return False
        address = port.value("ip address", "address") or ""
        serves = not is_on(api, "shutdown", True) and is_on(api, "protocol https", True)
        if address.partition("/")[0] != self.device.address or not serves or self.api.certificate is None:
            return False
        vrf = port.value("vrf", "vrf")
        block = api.first(f"vrf {vrf}") if vrf else api
        return block is not None and not is_on(block, "shutdown", True)

    def _changed(self) -> None:
        self._state = None
        self.on_commit()


def build(device: DeviceSpec, lab: LabContext) -> EosTwin:
    """The twin of one EOS device."""
    return EosTwin(device, lab)

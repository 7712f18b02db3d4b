"""An NX-OS switch of the lab: one configuration, two servers, and its meaning for the neighbours."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from ipaddress import IPv4Address

from ..lab_context import LabContext
from ..seeds import Seedable
from ..spec import DeviceSpec
from ..state import SwitchState
from ..traffic.rules import SwitchRules
from ..twin import RequestCounter
from .cli import Cli
from .day0 import brownfield_tree, management_address
from .extract import is_admin_up, primary_address, switch_state
from .interface_facts import mac_of
from .nxapi import NxApiServer
from .outside import with_outside
from .password import is_password
from .replace import ConfigReplace
from .reply import View
from .seedable import SEEDABLE
from .served import HTTPS_PORT, SSH_PORT, lets_in, named_vrf, served_api
from .ssh import SshServer
from .store import ConfigStore
from .traffic_rules import traffic_rules


class NxosTwin:
    """One switch. It knows only its configuration, which includes the account, the API and its address."""

    def __init__(self, device: DeviceSpec, lab: LabContext) -> None:
        self.device, self.name = device, device.name
        self.requests = RequestCounter()
        self.on_commit: Callable[[], None] = _nobody
        running = brownfield_tree(device, lab.username, lab.password)
        bootflash = lab.directory / "bootflash" / device.name
        self.store = ConfigStore(device, running, bootflash, lab.clock, self._changed)
        self.replace = ConfigReplace(self.store, lab.clock)
        self._view = View(device, self.store, self.replace, lab.fabric, lab.clock, lab.clock.now_s())
        self._state: SwitchState | None = None
        self.api = served_api(device, lab.certificates, lambda: self.store.running)
        self._api = NxApiServer(self)
        self._ssh = SshServer(self, lab.certificates, self.store.bootflash)

    def state(self) -> SwitchState:
        """The running configuration's meaning for neighbours; cached until it changes."""
        if self._state is None:
            plain = switch_state(self.store.running, self.name)
            self._state = with_outside(plain, self.store.running)
        return self._state

    def mac(self, interface: str) -> str:
        """The MAC address of one of its interfaces, with colons."""
        digits = mac_of(self._view, interface).replace(".", "")
        return ":".join(digits[at : at + 2] for at in range(0, 12, 2))

    def seedable(self) -> dict[str, Seedable]:
        """What a test may seed."""
        return dict(SEEDABLE)

    def seeded_on(self, on: str) -> list[str]:
        """The ports there are."""
        return [each.name for each in self.state().interfaces] if on == "port" else []

    def traffic_rules(self) -> SwitchRules:
        """What it was told of classes, queues, pauses and marks."""
        return traffic_rules(self._view)

    def running_text(self) -> str:
        """The running configuration from its ``version`` line on."""
        return self.store.running_body()

    def boot(self) -> None:
        """Begin again with the startup configuration."""
        self._view = dataclasses.replace(self._view, booted_s=self._view.clock.now_s())
        self.replace.forget()
        self.store.boot()

    async def start(self) -> None:
        """Listen for NX-API and SSH. Raises OSError if an address is taken."""
        await self._api.start()
        await self._ssh.start()

    async def stop(self) -> None:
        """Close both servers."""
        await self._api.stop()
        await self._ssh.stop()

    def open_cli(self, user: str, *, in_config: bool = False) -> Cli:
        """A new session at the command line."""
        return Cli(self._view, user, in_config=in_config)

    # -- who may come in, and how ----------------------------------------------------------------------------------

    def authenticate(self, user: str, password: str) -> bool:
        """Does the configuration have this user with this password?"""
        users = self.store.running.find("username")
        hashes = [n.params["hash"] for n in users if n.params.get("user") == user and "hash" in n.params]
        return any(is_password(password, stored) for stored in hashes)

    def is_api_reachable(self) -> bool:
        """Does NX-API answer? It needs its feature, its port, its certificate, its VRF and the management interface."""
        tree = self.store.running
        port = int(tree.root.value("nxapi https port", "port") or HTTPS_PORT)
        has_feature = tree.first("feature nxapi") is not None and self.api.certificate is not None
        is_there = port == self.device.api_port and named_vrf(tree) in (None, "management")
        return has_feature and is_there and self._has_management()

    def has_key(self, user: str, key: str) -> bool:
        """Is it among the account's keys (``username NAME sshkey KEY``)?"""
        lines = [node for node in self.store.running.find("username") if node.params.get("user") == user]
        return any(node.params.get("key", "").split()[:2] == key.split()[:2] for node in lines if "key" in node.params)

    def is_ssh_reachable(self, client: str) -> bool:
        """Does SSH answer this client?"""
        tree = self.store.running
        is_on = tree.effective(tree.root, "feature ssh") and self._has_management()
        return is_on and lets_in(tree, IPv4Address(client), SSH_PORT)

    def _has_management(self) -> bool:
        mgmt = self._view.interface("mgmt0")
        address = None if mgmt is None else primary_address(mgmt)
        if mgmt is None or address is None or not is_admin_up(self.store.running, mgmt):
            return False
        # clients reach it at the lab's address, whether mgmt0 has that or the one that stands for it at day 0
        if address.partition("/")[0] not in {self.device.address, management_address(self.device)}:
            return False
        return mgmt.value("vrf member", "vrf") == "management"

    def _changed(self) -> None:
        self._state = None
        self.on_commit()


def _nobody() -> None:
    """No observer until the twin is part of a fabric."""

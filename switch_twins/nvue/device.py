"""One NVUE switch: its revisions, its REST server, and its meaning for its neighbours."""

from __future__ import annotations

import json
from collections.abc import Callable
from ipaddress import IPv4Address

from aiohttp import web

from ..lab_context import LabContext
from ..served import SELF_SIGNED, ServedApi
from ..spec import DeviceSpec
from ..state import SwitchState
from ..traffic.rules import SwitchRules
from ..twin import RequestCounter
from .access import Access, is_reachable, lets_in
from .autofill import hash_password
from .brownfield import brownfield
from .dialect import dialect_for
from .extract import mac_address, switch_state
from .operational import Operational
from .outside import with_outside
from .revisions import RevisionStore
from .schema import schema_for, secret_paths
from .server import RestServer
from .traffic_rules import traffic_rules
from .tree import Path, Tree, get, get_or, ordered


class NvueTwin:
    """A Cumulus Linux switch behind its REST API. It knows what was pushed, and its cabling through the fabric."""

    def __init__(self, device: DeviceSpec, lab: LabContext) -> None:
        self.name, self.device, self.requests = device.name, device, RequestCounter()
        self.on_commit: Callable[[], None] = lambda: None
        self.schema, self.dialect = schema_for(device.release), dialect_for(device.release)
        self.access = Access(lab.clock)
        self._lab, self._state, self._runner = lab, None, None
        running = brownfield(device, lab.username, hash_password(lab.password), self.dialect)
        own = str(get_or(running, SELF_SIGNED, "system", "api", "certificate"))
        self.api = ServedApi(lab.certificates, device, own, self._named_certificate, self._api_settings, self._lets_in)
        self._started_s = lab.clock.now_s()
        self.store = RevisionStore(device, running, self.dialect, lab.clock, self._changed)
        self._operational = Operational(device, lab.fabric, self.dialect)

    _state: SwitchState | None
    _runner: web.AppRunner | None

    def state(self) -> SwitchState:
        """The running configuration's meaning for neighbours; kept until the next change."""
        if self._state is None:
            plain = switch_state(self.device, self.store.running, self.dialect)
            self._state = with_outside(plain, self.store.running, self.dialect)
        return self._state

    def mac(self, interface: str) -> str:
        """The MAC address of one of its interfaces, with colons."""
        return mac_address(self.name, interface)

    def traffic_rules(self) -> SwitchRules:
        """What it was given of classes, queues, pauses and marks."""
        ports = (each.name for each in self.state().interfaces if each.name.startswith("swp"))
        return traffic_rules(self.store.running, self.dialect, ports)

    def running_text(self) -> str:
        """The running configuration as JSON in NVUE's order, secrets as ``*``."""
        shown: Tree = json.loads(json.dumps(self.store.running))
        for path in secret_paths(shown):
            get(shown, path[:-1])[path[-1]] = "*"
        return json.dumps(ordered(shown), indent=2) + "\n"

    def operational(self, path: Path) -> Tree:
        """The operational tree, as far as a path needs it."""
        uptime_s = self._lab.clock.now_s() - self._started_s
        return self._operational.build(path, self.store.running, self.state(), uptime_s)

    def is_reachable(self) -> bool:
        """Does the running configuration still allow access over the management interface?"""
        return self.api.certificate is not None and is_reachable(self.device, self.store.running, self.dialect)

    def _named_certificate(self) -> str:
        return str(get_or(self.store.running, SELF_SIGNED, "system", "api", "certificate"))

    def _lets_in(self, client: IPv4Address) -> bool:
        return lets_in(self.device, self.store.running, client)

    def _api_settings(self) -> str:
        return json.dumps(get_or(self.store.running, {}, "system", "api"), sort_keys=True)

    def boot(self) -> None:
        """Begin again with the startup configuration."""
        self._started_s = self._lab.clock.now_s()
        self.store.boot()

    async def start(self) -> None:
        """Listen with TLS. Raises OSError if the address is taken."""
        self._runner = web.AppRunner(RestServer(self).app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
        await self._runner.setup()
        context = self.api.context()
        site = web.TCPSite(self._runner, self.device.address, self.device.api_port, ssl_context=context)
        try:
            await site.start()
        except OSError:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Close every connection; harmless if not started."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def _changed(self) -> None:
        self._state = None
        self.on_commit()

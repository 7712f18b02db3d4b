"""The lab process's control socket: one JSON object per line each way, on a unix socket that only its owner can open.

    {"request": "swap-cables", "cables": ["c1", "c2"]}   ->   {"ok": true, "result": {...}}
    {"request": "nonsense"}                              ->   {"ok": false, "error": "..."}

Requests
    status                    site, pid, uptime, devices with sessions up and configured, cables, played hosts
    swap-cables cables=[a,b]  exchange the far ends of two cables;  cut-cable / mend-cable cable=ID
    lose-packets cable=ID percent=N  drop this share at both ends, 0: none;  of a routed lab
    delay-packets cable=ID ms=N      hold each packet back so long, each way, 0: none;  of a routed lab with netem
    switch-off device=NAME    take its power: nothing answers there, its links are down
    switch-on device=NAME     give it back: it boots with its startup configuration; no effect on one that is on
    freeze / thaw device=NAME its links stay up, what it is asked waits, it says nothing;  no effect without power
    fail-part / repair-part device=NAME part=supply-1    a power supply or a fan tray (parts.py); pulled=true: out
    plug-machine host=NAME port=NIC tap=NAME [monitor=PATH]   of a routed lab: a TAP is the switch's port at that cable;
                              through QEMU's monitor socket the NIC gets the carrier that the switch gives
    unplug-machine host=NAME  its TAPs go, a namespace is the host again;  machines   NICs with such TAPs, and where
    seed device=NAME what=COUNTER [on=PORT|PEER] value=N   what nothing in the lab causes (seeds.py); null: back
    play pattern=P [share=N target=HOST[:PORT] dscp=N peers=N senders=N pairs=N]   traffic/flows.py; none: stop
    impair kind=K device=NAME [port=PORT] [amount=N] [mended=true]   see impairments.py
    host-counters [host=NAME]   of NICs, by the names of mlx5;  flows   those that are played, with ports and packets
    faults                    cables cut, swapped and lossy, switches off and frozen, of all cables and switches
    first-boot device=NAME url=URL   boot a factory switch: what it fetches there is executed
    cpu                       user and system seconds of this process
    requests [reset=true]     per device: TCP connections and requests counted so far
    advance-clock seconds=N   move the lab's clock forward: due commit timers fire (tests)
    routing device=NAME       of a routed lab: its namespace, lines that FRR is not told, what the simulation would have
    frr device=NAME release=N what FRR of this major release and a kernel need to be this switch, in any lab
    sessions device=NAME      its BGP sessions;   rib device=NAME [vrf=V]   its routes;   lldp device=NAME
    running-config device=NAME
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .errors import Problem, TwinError
from .fabric import Route
from .routed.fabric import RoutedFabric
from .routed.startup import startup
from .server import LabServer
from .traffic.flows import Play
from .traffic.host_counters import host_counters
from .unexpected import noted

_LINE_LIMIT_BYTES = 1 << 20
_SOCKET_PATH_LIMIT_BYTES = 100
Answer = dict[str, Any]


class ControlServer:
    """Answers control requests for one LabServer."""

    def __init__(self, lab: LabServer, path: Path) -> None:
        self._lab, self.path = lab, path
        self._server: asyncio.Server | None = None
        self._started_s = lab.clock.now_s()
        self._power = asyncio.Lock()
        self._requests: dict[str, Callable[[Answer], Any]] = {
            "status": self._status,
            "swap-cables": self._swap,
            "cut-cable": self._cut,
            "mend-cable": self._mend,
            "lose-packets": self._lose,
            "delay-packets": self._delay,
            "switch-off": self._switch_off,
            "switch-on": self._switch_on,
            "freeze": self._freeze,
            "thaw": self._thaw,
            "fail-part": self._fail_part,
            "repair-part": self._repair_part,
            "plug-machine": self._plug_machine,
            "unplug-machine": self._unplug_machine,
            "machines": lambda _: self._routed("machines").machines(),
            "seed": self._seed,
            "faults": lambda _: lab.fabric.faults(),
            "play": self._play,
            "flows": lambda _: lab.player.flows(),
            "impair": self._impair,
            "host-counters": self._host_counters,
            "first-boot": self._first_boot,
            "cpu": self._cpu,
            "requests": self._counted,
            "advance-clock": self._advance,
            "sessions": self._sessions,
            "routing": self._routing,
            "frr": self._frr,
            "rib": self._rib,
            "lldp": self._lldp,
            "running-config": self._running_config,
        }

    async def start(self) -> None:
        """Listen on the socket, for its owner only."""
        self.path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._serve, self.path, limit=_LINE_LIMIT_BYTES)
        finally:
            os.umask(before)

    async def stop(self) -> None:
        """Stop listening and remove the socket."""
        if self._server is not None:
            self._server.close()
        self.path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await self._answer(line)).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            pass  # the client disconnected, or sent a line over the limit: only its own connection ends
        finally:
            writer.close()

    async def _answer(self, line: bytes) -> Answer:
        try:
            request = json.loads(line)
        except ValueError as error:
            return _unknown(error)
        try:
            result = self._requests[request["request"]](request)
            return {"ok": True, "result": await result if inspect.isawaitable(result) else result}
        except TwinError as error:
            return {"ok": False, "error": str(error)}
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets JSON
            if isinstance(error, KeyError | TypeError | ValueError) and _is_of_a_request(error):
                return _unknown(error)
            return {"ok": False, "error": noted("control", error)}

    # -- requests --------------------------------------------------------------------------------------------------

    def _status(self, _: Answer) -> Answer:
        lab = self._lab
        return {
            "site": lab.spec.site,
            "pid": os.getpid(),
            "uptime_s": round(lab.clock.now_s() - self._started_s, 3),
            "devices": [self._device_status(name) for name in lab.twins],
            "cables": lab.fabric.wiring.cables(),
            "played": lab.fabric.played(),
            "traffic": lab.player.status(),
        }

    def _device_status(self, name: str) -> Answer:
        device = self._lab.spec.device(name)
        sessions = self._lab.fabric.sessions(name)
        return {
            "name": name,
            "os": device.os,
            "release": device.release,
            "model": device.model,
            "address": device.address,
            "api_port": device.api_port,
            "ssh_port": device.ssh_port,
            "bgp_configured": len(sessions),
            "bgp_established": sum(session.state == "established" for session in sessions),
            **self._unplayed(name),
        }

    def _unplayed(self, name: str) -> Answer:
        fabric = self._lab.fabric
        if not isinstance(fabric, RoutedFabric):
            return {}
        return {"namespace": fabric.namespace(name), **fabric.unplayed(name)}

    def _swap(self, request: Answer) -> Answer:
        first, second = request["cables"]
        swapped = self._lab.fabric.swap_cables(first, second)
        return {key: value for key, value in self._lab.fabric.wiring.cables().items() if key in swapped}

    def _cut(self, request: Answer) -> Answer:
        self._lab.fabric.cut_cable(request["cable"])
        return {"cut": request["cable"]}

    def _mend(self, request: Answer) -> Answer:
        self._lab.fabric.mend_cable(request["cable"])
        return {"mended": request["cable"]}

    def _lose(self, request: Answer) -> Answer:
        self._lab.fabric.lose(request["cable"], float(request["percent"]))
        return {"cable": request["cable"]}

    def _delay(self, request: Answer) -> Answer:
        self._lab.fabric.delay(request["cable"], float(request["ms"]))
        return {"cable": request["cable"]}

    async def _switch_off(self, request: Answer) -> Answer:
        name = self._device(request)
        async with self._power:
            await self._lab.switch_off(name)
        return {"off": name}

    async def _switch_on(self, request: Answer) -> Answer:
        name = self._device(request)
        async with self._power:
            await self._lab.switch_on(name)
        return {"on": name}

    def _freeze(self, request: Answer) -> Answer:
        name = self._device(request)
        self._lab.freeze(name)
        return {"frozen": name}

    def _thaw(self, request: Answer) -> Answer:
        name = self._device(request)
        self._lab.thaw(name)
        return {"thawed": name}

    def _fail_part(self, request: Answer) -> Answer:
        self._lab.fabric.parts.fail(self._device(request), request["part"], is_pulled=bool(request.get("pulled")))
        return {"failed": request["part"]}

    def _repair_part(self, request: Answer) -> Answer:
        self._lab.fabric.parts.repair(self._device(request), request["part"])
        return {"repaired": request["part"]}

    def _plug_machine(self, request: Answer) -> Answer:
        host, port, monitor = str(request["host"]), str(request["port"]), request.get("monitor")
        fabric = self._routed(host)
        fabric.plug_machine(host, port, str(request["tap"]), Path(monitor) if monitor else None)
        return {"plugged": f"{host}:{port}"}

    def _unplug_machine(self, request: Answer) -> Answer:
        host = str(request["host"])
        self._routed(host).unplug_machine(host)
        return {"unplugged": host}

    def _routed(self, where: str) -> RoutedFabric:
        if not isinstance(self._lab.fabric, RoutedFabric):
            raise TwinError(Problem(where, "its routes are simulated: this is no routed lab"))
        return self._lab.fabric

    def _seed(self, request: Answer) -> Answer:
        name, what, on = self._device(request), str(request["what"]), str(request.get("on", ""))
        self._lab.fabric.seed(name, what, on, request["value"])
        return {what: request["value"]}

    def _play(self, request: Answer) -> Answer:
        player, kinds = self._lab.player, {"share": float, "target": str}
        words = {key: kinds.get(key, int)(value) for key, value in request.items() if key not in ("request", "pattern")}
        pattern = str(request["pattern"])
        changed = player.stop() if pattern == "none" else player.play(Play(pattern, **words))
        return {"changed": changed, "traffic": player.status()}

    def _impair(self, request: Answer) -> Answer:
        kind, device, port = str(request["kind"]), str(request["device"]), str(request.get("port", ""))
        if request.get("mended"):
            self._lab.player.mend(kind, device, port)
        else:
            self._lab.player.impair(kind, device, port, request.get("amount"))
        return {"impaired": self._lab.fabric.counted.impairments.all()}

    def _host_counters(self, request: Answer) -> Answer:
        if "host" in request:
            return host_counters(self._lab.fabric, str(request["host"]))
        played = sorted({end.device for end in self._lab.fabric.wiring.hosts})
        return {host: host_counters(self._lab.fabric, host) for host in played}

    async def _first_boot(self, request: Answer) -> Answer:
        report = await self._lab.first_boot(self._device(request), str(request["url"]))
        return {"log": list(report.log), "is_done": report.is_done}

    @staticmethod
    def _cpu(_: Answer) -> Answer:
        times = os.times()
        return {"user_s": times.user, "system_s": times.system}

    def _counted(self, request: Answer) -> Answer:
        counted = {}
        for name, twin in self._lab.twins.items():
            counter = twin.requests
            counted[name] = {"connections": counter.connections, "requests": counter.requests}
            if request.get("reset"):
                counter.connections = counter.requests = 0
        return counted

    def _advance(self, request: Answer) -> Answer:
        self._lab.clock.advance(float(request["seconds"]))
        return {"now_s": self._lab.clock.now_s()}

    def _sessions(self, request: Answer) -> list[Answer]:
        return [
            {
                "vrf": s.vrf,
                "neighbor": s.neighbor.address,
                "remote_as": s.neighbor.remote_as,
                "state": s.state,
                "reason": s.reason,
                "peer": s.peer_device,
                "interface": s.interface,
                "received": s.prefixes_received,
                "accepted": s.prefixes_accepted,
                "sent": s.prefixes_sent,
            }
            for s in self._lab.fabric.sessions(self._device(request))
        ]

    def _rib(self, request: Answer) -> Answer:
        return _routes(self._lab.fabric.rib(self._device(request), request.get("vrf", "default")))

    def _routing(self, request: Answer) -> Answer:
        """How a routed lab has a switch: namespace, unplayed lines, and the simulation's view of the default VRF."""
        name = self._device(request)
        fabric = self._routed(name)
        sessions, rib = fabric.simulated(name)
        up = {each.neighbor.address: each.state == "established" for each in sessions}
        simulated = {"sessions": up, "rib": _routes(rib)}
        return {**self._unplayed(name), "simulated": simulated}

    def _frr(self, request: Answer) -> Answer:
        name = self._device(request)
        return startup(self._lab.twins[name], sorted(self._lab.fabric.wiring.ports_of(name)), int(request["release"]))

    def _lldp(self, request: Answer) -> list[Answer]:
        heard = self._lab.fabric.lldp(self._device(request))
        return [{"port": n.local_port, "device": n.device, "far_port": n.port} for n in heard]

    def _running_config(self, request: Answer) -> str:
        return self._lab.twins[self._device(request)].running_text()

    def _device(self, request: Answer) -> str:
        name = str(request["device"])
        if name not in self._lab.twins:
            raise TwinError(Problem(name, "there is no such device in this lab", ", ".join(self._lab.twins)))
        return name


def _unknown(error: Exception) -> Answer:
    return {"ok": False, "error": f"not a request this lab knows: {error!r}"}


def _is_of_a_request(error: Exception) -> bool:
    """Did it happen here, where requests are read, and not in what they ask for?"""
    return traceback.extract_tb(error.__traceback__)[-1].filename == __file__


def _routes(rib: Mapping[str, Route]) -> Answer:
    return {
        prefix: {
            "protocol": route.protocol,
            "as_path": route.as_path,
            "next_hops": [[hop.address, hop.interface] for hop in route.next_hops],
        }
        for prefix, route in rib.items()
    }


def is_socket_path(path: Path) -> bool:
    """Is this path short enough for a unix socket?"""
    return len(os.fsencode(path)) <= _SOCKET_PATH_LIMIT_BYTES

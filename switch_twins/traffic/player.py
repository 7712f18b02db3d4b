"""Plays traffic over a lab's switches while its clock goes on, and impairs what is to be impaired.

What is played follows the fabric: after a commit or a cut cable, flows take the paths and obey the rules that are now.
What waited in queues then is sent again by whom it came from.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from ..clock import Clock, TimerHandle
from ..errors import Problem, TwinError
from ..fabric import FabricSim
from ..impairments import KINDS
from ..spec import End
from ..twin import Twin
from .flows import Flow, Play, flows, of_host
from .model import STEP_S, Model
from .paths import Path, Router
from .rules import RuledTwin, SwitchRules

TICK_S = 0.2
_BUDGET_S = 0.1
"""Processor time that a lab may play in a tick; what is left is played later, so that its switches still answer."""
_REBUILD_SHARE = 0.1
"""While switches are being changed, no more of the time goes into new paths."""


class Player:
    """One lab's. ``play`` starts, ``stop`` ends; both may be repeated."""

    def __init__(self, fabric: FabricSim, twins: Mapping[str, Twin], clock: Clock) -> None:
        self._fabric, self._twins, self._clock = fabric, twins, clock
        self._play: Play | None = None
        self._flows: list[Flow] = []
        self._model: Model | None = None
        self._made_of: object = None
        self._rules: dict[str, tuple[object, SwitchRules]] = {}
        self._rates: dict[Flow, float] = {}
        self._paths: list[Path] = []
        self._impaired = 0
        self._ended: list[dict[str, object]] = []
        self._timer: TimerHandle | None = None
        self._played_to_s = 0.0
        self._rebuild_after_s = 0.0

    # -- what is played --------------------------------------------------------------------------------------------

    def play(self, play: Play) -> bool:
        """Play this from now on, instead of what was; False: it is played already. Raises TwinError if it cannot be."""
        if self._fabric.sends_packets:
            raise TwinError(Problem("play", "this lab routes packets: traffic is played in one whose switches do not"))
        if play == self._play:
            return False
        self._flows = flows(play, Router(self._fabric, self._all_rules()).nics(play.dscp))
        self._play, self._model = play, None
        self._played_to_s = self._clock.now_s()
        if self._timer is None:
            self._timer = self._clock.call_later(TICK_S, self._tick)
        return True

    def stop(self) -> bool:
        """Play nothing any more; False: nothing was played. Counters stay as they are."""
        was_playing = self._play is not None
        self._ended = self.flows()
        if self._timer is not None:
            self._timer.cancel()
        self._play, self._flows, self._model, self._timer = None, [], None, None
        return was_playing

    def status(self) -> dict[str, object] | None:
        """What is played: pattern, share, target, number of flows, those that arrive nowhere; None: nothing."""
        if self._play is None:
            return None
        model = self._current()
        return {
            "pattern": self._play.pattern,
            "share": self._play.share,
            "target": self._play.target,
            "dscp": self._play.dscp,
            "flows": len(self._flows),
            "lost_flows": sum(not path.is_whole for path in self._paths),
            "waiting_bytes": int(model.waiting_bytes()),
            "behind_s": round(max(0.0, self._clock.now_s() - self._played_to_s), 3),
        }

    def flows(self) -> list[dict[str, object]]:
        """Each flow that is played, or was last, with its ports and its packets since its paths were last changed."""
        if self._model is None:
            return self._ended
        found: list[dict[str, object]] = []
        for path, (flow, *sizes) in zip(self._paths, self._model.flows(), strict=True):
            sent, delivered, dropped = (size / flow.packet_bytes for size in sizes)
            found.append(
                {
                    "source": str(flow.source),
                    "destination": str(flow.destination),
                    "dscp": flow.dscp,
                    "udp_source": flow.udp_source,
                    "ports": [str(end) for end in path.ports],
                    "packets": {"sent": sent, "delivered": delivered, "dropped": dropped},
                }
            )
        return found

    # -- time ------------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        self._timer = self._clock.call_later(TICK_S, self._tick)
        began_s = time.process_time()
        left_s = self._clock.now_s() - self._played_to_s
        while left_s > 0 and time.process_time() - began_s < _BUDGET_S:
            left_s -= self._step(left_s, in_haste=True)
        self._played_to_s = self._clock.now_s() - max(0.0, left_s)

    def advance(self, seconds: float) -> None:
        """Play so much, whatever the clock says."""
        left_s = seconds
        while left_s > 1e-9:
            left_s -= self._step(left_s)

    def _step(self, most_s: float, *, in_haste: bool = False) -> float:
        model = self._current(in_haste=in_haste)
        time_s = most_s if model.is_steady else min(STEP_S, most_s)
        model.step(time_s)
        return time_s

    def _current(self, *, in_haste: bool = False) -> Model:
        """The model of the fabric as it is now."""
        self._fabric.settle()
        made_of = (self._fabric.version, self._impaired)
        if self._model is not None and self._made_of == made_of:
            return self._model
        began_s = time.perf_counter()
        if self._model is not None and in_haste and began_s < self._rebuild_after_s:
            return self._model
        if self._model is not None:
            self._rates = dict(zip(self._flows, self._model.rates(), strict=True))
        self._model, self._made_of = self._make(), made_of
        now_s = time.perf_counter()
        self._rebuild_after_s = now_s + (now_s - began_s) / _REBUILD_SHARE
        return self._model

    def _make(self) -> Model:
        rules = self._all_rules()
        router = Router(self._fabric, rules)
        impairments = self._fabric.counted.impairments
        wrong = {
            end.device: impairments.amount("wrong-class", end.device) for end in impairments.of_kind("wrong-class")
        }
        sent = [of_host(flow, wrong) for flow in self._flows]
        self._paths = [router.path(flow) for flow in sent]
        used = [end for path in self._paths for end in path.ports] + impairments.of_kind("pause-storm")
        far = {end: other for end in dict.fromkeys(used) if (other := router.far(end)) is not None}
        far |= {other: end for end, other in far.items()}
        speeds = {end: router.bits_per_s(end) for end in far}
        rates = [self._rates.get(flow, 1.0) for flow in self._flows]
        return Model(list(zip(sent, self._paths, strict=True)), rules, speeds, far, self._fabric.counted, rates)

    def _all_rules(self) -> dict[str, SwitchRules]:
        return {name: self._rules_of(twin) for name, twin in self._twins.items() if isinstance(twin, RuledTwin)}

    def _rules_of(self, twin: RuledTwin) -> SwitchRules:
        """A switch's rules, read again only after it was changed: its state is another object then."""
        state = twin.state()
        known = self._rules.get(twin.name)
        if known is None or known[0] is not state:
            known = self._rules[twin.name] = (state, twin.traffic_rules())
        return known[1]

    # -- impairments -----------------------------------------------------------------------------------------------

    def impair(self, kind: str, device: str, port: str, amount: float | None) -> None:
        """Let something work badly (impairments.py). Raises TwinError for what cannot be."""
        known = KINDS.get(kind)
        if known is not None:
            self._check(known.where, device, port)
        self._fabric.counted.impairments.put(kind, device, port, amount, self._clock.now_s())
        self._impaired += 1

    def mend(self, kind: str, device: str, port: str) -> None:
        """Let it work again; harmless where it does."""
        self._fabric.counted.impairments.take_back(kind, device, port, self._clock.now_s())
        self._impaired += 1

    def _check(self, where: str, device: str, port: str) -> None:
        hosts = self._fabric.wiring.hosts
        is_host = where.startswith("host")
        known = {end.device for end in hosts} if is_host else set(self._twins)
        if device not in known:
            what = "host" if is_host else "switch"
            raise TwinError(Problem(device, f"there is no such {what} in this lab", ", ".join(sorted(known)[:8])))
        if not where.endswith("port"):
            if port:
                raise TwinError(Problem(f"{device}:{port}", f"this is of a whole {where}", device))
            return
        ports = self._fabric.wiring.ports_of(device)
        if End(device, port) not in hosts and port not in ports:
            expected = ", ".join(f"{device}:{each}" for each in sorted(ports)[:8])
            what = "no cable is plugged in there" if port else "which of its ports?"
            raise TwinError(Problem(f"{device}:{port}" if port else device, what, expected))

"""Break the lab of a site on purpose, and mend it: cables cut, swapped, lossy and slow, switches off or hanging.

A tier of the lab carries out the requests cut-cable, mend-cable, swap-cables, lose-packets, delay-packets, switch-off,
switch-on, freeze, thaw, impair and faults (switch_twins/control.py). What a name means, and whether anything is left
to do, is decided here for all tiers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import GpufabricError, LabError, Problem
from nornir_tasks.files.site import state_directory
from nornir_tasks.lab.faults import Fault, Wired
from nornir_tasks.lab.machines.manager import Machines
from nornir_tasks.lab.manager import Lab
from nornir_tasks.usecases.lab.machines import leaf_ends, refuse_bonded
from nornir_tasks.usecases.lab.up_down import LabMessage
from nornir_tasks.usecases.progress import On, ignore
from nornir_tasks.usecases.site import load

Impairment = Literal["loss", "delay"]
TIER_OF: Mapping[Impairment, str] = {
    "loss": "the routed tier (lab up --routed)",
    "delay": "the routed tier where the kernel has netem, as in a machine (lab up --routed --machine)",
}
"""What switches on loopback cannot have, as they send no packets -> whose it is."""


LEAST_PERCENT = 0.01
"""The smallest step in which a cable loses packets."""
LEAST_MS, MOST_MS = 0.1, 10_000.0
"""Between a timer of an idle kernel and what no session outlives anyway."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a command broke and mended. Neither: nothing was to be done, and ``as_before`` says why."""

    in_force: tuple[Fault, ...]
    """All that is broken now."""
    made: tuple[Fault, ...] = ()
    mended: tuple[Fault, ...] = ()
    as_before: str = ""


def cut(site: str | Path, cable: str, far_end: str = "", on: On = ignore) -> Change:
    """Take a cable's carrier at both ends. ``far_end``: its other end, if it is to be checked."""
    with _Technician.at(site, on) as hands:
        cables = hands.cables(cable)
        if far_end and (other := hands.cables(far_end)) != cables:
            what = f"is not the other end of {cable}: that is cable {', '.join(cables)}, this one {', '.join(other)}"
            raise LabError(Problem(far_end, what, _ends(hands.wired, cables), _ends(hands.wired, other)))
        todo = [name for name in cables if name not in hands.wired.of("cut")]
        for name in todo:
            hands.carrier(name, is_there=False)
        return hands.change(f"{_are('cable', cables)} cut already")


def swap(site: str | Path, first: str, second: str, on: On = ignore) -> Change:
    """Exchange the far ends of two cables, as a technician might by mistake; those of hosts and machines too."""
    with _Technician.at(site, on) as hands:
        one, other = hands.only_cable(first), hands.only_cable(second)
        swapped = hands.wired.swapped
        if one == other:
            raise LabError(Problem(second, f"is the same cable as {first}", "two cables", one))
        for each in (one, other):
            if each in swapped and (swapped.get(one), swapped.get(other)) != (other, one):
                hint = f"nornir lab mend {each}"
                raise LabError(Problem(each, f"this cable is swapped with {swapped[each]}", hint=hint))
        if one not in swapped:
            hands.exchange(one, other)
        return hands.change(f"the far ends of cables {one} and {other} are swapped already")


def kill(site: str | Path, switch: str, on: On = ignore) -> Change:
    """Take a switch's power: it answers no more, its neighbours lose their carrier, what it had not saved is lost."""
    with _Technician.at(site, on) as hands:
        name = hands.wired.switch(switch)
        if name not in hands.wired.of("killed"):
            hands.ask("switch-off", device=name)
        return hands.change(f"switch {name} has no power already")


def revive(site: str | Path, switch: str, on: On = ignore) -> Change:
    """Give a switch its power again: it boots with its startup configuration."""
    with _Technician.at(site, on) as hands:
        name = hands.wired.switch(switch)
        if name in hands.wired.of("frozen"):
            raise LabError(Problem(name, "this switch has power; it hangs", hint=f"nornir lab mend {name}"))
        if name in hands.wired.of("killed"):
            hands.ask("switch-on", device=name)
        return hands.change(f"switch {name} has power")


def freeze(site: str | Path, switch: str, on: On = ignore) -> Change:
    """Hang a switch: its ports stay up, it answers nothing and says nothing to its neighbours."""
    with _Technician.at(site, on) as hands:
        name = hands.wired.switch(switch)
        if name in hands.wired.of("killed"):
            raise LabError(Problem(name, "this switch has no power", hint=f"nornir lab revive {name}"))
        if name not in hands.wired.of("frozen"):
            hands.ask("freeze", device=name)
        return hands.change(f"switch {name} hangs already")


def mend(site: str | Path, name: str = "", on: On = ignore) -> Change:
    """Undo what was done to a cable or a switch; without a name, all that is broken."""
    with _Technician.at(site, on) as hands:
        faults, where = hands.wired.faults, "in this lab"
        if name:
            names = hands.meant(name)
            faults = tuple(each for each in faults if {*names} & {*each.names})
            where = f"of {', '.join(each for each in names if ':' not in each) or name}"
        for fault in faults:
            hands.undo(fault)
        return hands.change(f"nothing {where} is broken")


def lose(site: str | Path, cable: str, share: str, on: On = ignore) -> Change:
    """Have a cable lose this share of its packets, in percent, each way; a breakout cable in all its legs."""
    with _Technician.at(site, on) as hands:
        cables = hands.cables(cable)
        if not hands.wired.sends_packets:
            raise _impossible("loss", cable, cables, share)
        percent, lossy = _percent(share), hands.wired.of("lossy")
        for name in cables:
            if name not in lossy or lossy[name].percent != percent:
                hands.ask("lose-packets", cable=name, percent=percent)
        return hands.change(f"{_are('cable', cables)} losing {percent:g} % of the packets already")


def delay(site: str | Path, cable: str, time_ms: str, on: On = ignore) -> Change:
    """Have a cable hold back each packet for this time in ms, each way; a breakout cable in all its legs."""
    with _Technician.at(site, on) as hands:
        cables = hands.cables(cable)
        if not hands.wired.can_delay:
            raise _impossible("delay", cable, cables, time_ms)
        delay_ms, slow = _time_ms(time_ms), hands.wired.of("slow")
        for name in cables:
            if name not in slow or slow[name].delay_ms != delay_ms:
                hands.ask("delay-packets", cable=name, ms=delay_ms)
        return hands.change(f"{_are('cable', cables)} holding back every packet for {delay_ms:g} ms already")


def impair(site: str | Path, kind: str, place: str, amount: str = "", on: On = ignore) -> Change:
    """Let something work badly (docs/faults.md has the kinds and their units); again with another amount changes it.

    ``place``: SWITCH, HOST, SWITCH:PORT or HOST:PORT.
    """
    device, _, port = place.partition(":")
    with _Technician.at(site, on) as hands:
        hands.ask("impair", kind=kind, device=device, port=port, amount=_amount(kind, amount))
        return hands.change(f"{place} is impaired so already")


def _amount(kind: str, text: str) -> float | None:
    """None: the kind's own. Raises LabError for what is no number."""
    try:
        return float(text.removesuffix("%")) if text else None
    except ValueError:
        raise LabError(Problem(text, f"is no amount of {kind}", "a number (docs/faults.md has the units)")) from None


def _impossible(kind: Impairment, cable: str, cables: Sequence[str], amount: str) -> LabError:
    what = f"cannot be put on cable {', '.join(cables)} in this lab"
    hint = f"a cable can be cut here: nornir lab cut {cable}"
    return LabError(Problem(f"{kind} {amount}".strip(), what, TIER_OF[kind], hint=hint))


def _percent(share: str) -> float:
    """Raises LabError for what is no share of packets."""
    try:
        percent = float(share.removesuffix("%"))
    except ValueError:
        percent = 0.0
    if not LEAST_PERCENT <= percent <= 100:
        hint = "nornir lab mend CABLE ends it"
        raise LabError(
            Problem(share or "loss", "is no share of packets", f"percent, from {LEAST_PERCENT:g} to 100", hint=hint)
        )
    return percent


def _time_ms(text: str) -> float:
    """Raises LabError for what is no time."""
    try:
        time_ms = float(text.removesuffix("ms"))
    except ValueError:
        time_ms = 0.0
    if not LEAST_MS <= time_ms <= MOST_MS:
        expected, hint = f"milliseconds, from {LEAST_MS:g} to {MOST_MS:g}", "nornir lab mend CABLE ends it"
        raise LabError(Problem(text or "delay", "is no time that packets can be held back", expected, hint=hint))
    return time_ms


class _Technician:
    """Works on one lab, alone. Machines' cables are theirs as well as the switches'."""

    def __init__(self, site: str | Path, lab: Lab) -> None:
        self._site, self._lab = site, lab
        self._machines = Machines(state_directory(site))
        self._network: Network | None = None
        self.wired: Wired = lab.faults()
        self.ask: Callable[..., object] = lab.ask

    @staticmethod
    @contextmanager
    def at(site: str | Path, on: On) -> "Iterator[_Technician]":
        lab = Lab(state_directory(site))
        with lab.at_work(lambda line: on(LabMessage("switches", line))):
            yield _Technician(site, lab)

    # -- names -----------------------------------------------------------------------------------------------------

    def cables(self, name: str, *, or_switch: bool = False) -> tuple[str, ...]:
        """What this name means; all legs of a breakout cable. ``or_switch``: a switch's name would do as well."""
        return self.wired.cable(name, self._planned, or_switch=or_switch)

    def meant(self, name: str) -> tuple[str, ...]:
        """What ``mend`` is to look at: a switch or host with its ports, a cable with its legs and both its ends."""
        places = (each.names[0] for each in self.wired.faults if each.kind == "impaired")
        own = tuple(each for each in places if name in (each, each.partition(":")[0]))
        if name in self.wired.switches or (own and ":" not in name):
            return (name, *own)
        cables = self.cables(name, or_switch=True)
        return (*cables, *own, *(":".join(end) for each in cables for end in self.wired.cables[each]))

    def only_cable(self, name: str) -> str:
        """The one cable that this name means. Raises LabError for a breakout cable."""
        found = self.cables(name)
        if len(found) > 1:
            raise LabError(Problem(name, "this cable has several legs", "one of them", ", ".join(found)))
        return found[0]

    def _planned(self) -> dict[str, tuple[str, ...]]:
        """Cable of the cabling plan -> its links; nothing while the intent cannot be designed."""
        try:
            return {each.name: each.links for each in self._designed().cables}
        except GpufabricError:
            return {}

    def _designed(self) -> Network:
        if self._network is None:
            self._network = load(self._site).network
        return self._network

    # -- work ------------------------------------------------------------------------------------------------------

    def carrier(self, cable: str, *, is_there: bool) -> None:
        """Cut a cable, or mend it; a machine's NIC loses its carrier, or has it again."""
        self.ask("mend-cable" if is_there else "cut-cable", cable=cable)
        host, port = self.wired.cables[cable][1]
        if self._is_apart(host, port) and self._machines.machine(host).pid() is not None:
            self._machines.machine(host).plug(port, is_in=is_there)

    def exchange(self, one: str, other: str) -> None:
        """Exchange the far ends of two cables. Raises LabError for those of a machine's bond."""
        running = set(self._machines.names())
        if running:
            refuse_bonded(self._machines, self._designed(), {one, other})
        self.ask("swap-cables", cables=[one, other])
        if not running:
            return
        ends, now = leaf_ends(self._designed()), self._lab.faults().cables
        for near, (host, port) in (now[one], now[other]):
            if self._is_apart(host, port):
                self._machines.recable(host, port, ends.get(near, ""))

    def _is_apart(self, host: str, port: str) -> bool:
        """A machine's NIC whose cable the lab's switches have not: a routed lab sees to its own."""
        return host in self._machines.names() and port not in self._machines.routed(host)

    def undo(self, fault: Fault) -> None:
        """Mend one thing. Of three cables and more that are mixed up, the first gets its own end back."""
        match fault.kind:
            case "killed":
                self.ask("switch-on", device=fault.names[0])
            case "frozen":
                self.ask("thaw", device=fault.names[0])
            case "cut":
                self.carrier(fault.names[0], is_there=True)
            case "lossy":
                self.ask("lose-packets", cable=fault.names[0], percent=0)
            case "slow":
                self.ask("delay-packets", cable=fault.names[0], ms=0)
            case "impaired":
                device, _, port = fault.names[0].partition(":")
                self.ask("impair", kind=fault.what, device=device, port=port, mended=True)
            case "swapped":
                has = {whose: cable for cable, whose in self._lab.faults().swapped.items()}
                if fault.names[0] in has:
                    self.exchange(fault.names[0], has[fault.names[0]])

    def change(self, as_before: str) -> Change:
        """What came of it."""
        before, now = self.wired.faults, self._lab.faults().faults
        was, is_now = ({_key(each) for each in faults} for faults in (before, now))
        made = tuple(each for each in now if _key(each) not in was)
        mended = tuple(each for each in before if _key(each) not in is_now)
        return Change(now, made, mended, "" if made or mended else as_before)


def _key(fault: Fault) -> tuple[str, tuple[str, ...], float, float, str, float]:
    """By which a fault is the same; a cable that is cut may be swapped as well."""
    return fault.kind, fault.names, fault.percent, fault.delay_ms, fault.what, fault.amount


def _are(what: str, names: Sequence[str]) -> str:
    return f"{what} {names[0]} is" if len(names) == 1 else f"{what}s {', '.join(names)} are"


def _ends(wired: Wired, cables: Iterable[str]) -> str:
    return "; ".join(" to ".join(f"{device}:{port}" for device, port in wired.cables[each]) for each in cables)

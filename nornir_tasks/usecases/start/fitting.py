"""Which switches and cables a new fabric gets: those of the catalogue with which it can be designed, best fit first.

Nothing is worked out here that the design works out: it is run with one choice after the other until it refuses none.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.catalogue import SwitchModel
from nornir_tasks.errors import GpufabricError, IntentError, Problem
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.starter import FabricOffer
from nornir_tasks.platforms import platforms
from nornir_tasks.usecases.start.answers import LIST, Model

WAYS = (1, 2, 4, 8)
"""Legs of a cage that an intent may ask for."""
FEW_HOSTS = 4
"""With so many it is tried first, which takes a blink, whether models and cables go together at all."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Switches of one tier, as the intent has them."""

    os: str
    release: str
    model: SwitchModel
    cable_m: int
    down: str | None = None
    """Split of cages that go down; None: whole."""
    up: str | None = None
    medium: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """All that is chosen of one fabric."""

    design: str
    speed_gbps: int
    leaf: Tier
    spine: Tier

    @property
    def speed(self) -> str:
        """Of hosts' ports."""
        return f"{self.speed_gbps}G"

    @property
    def core(self) -> Tier:
        """Where there is one it is a spine whose cages all go down."""
        return replace(self.spine, up=None)


Refusal = Callable[[Choice, int | None], GpufabricError | None]
"""(choice, hosts; None: all there will be) -> why the design refuses it; None if it does not."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be found."""

    offer: FabricOffer
    speed_gbps: int
    leaf: Model
    spine: Model


def fitted(wanted: Wanted, refusal: Refusal) -> Choice:
    """The first choice that can be designed.

    Raises IntentError or DesignError with why the best one of the last layout cannot: it reaches furthest.
    """
    leaves = list(_leaves(wanted))
    if not leaves:
        raise IntentError(_no_leaf(wanted))
    first: GpufabricError | None = None
    for design in wanted.offer.designs:
        first = None
        for choice in (each for leaf in leaves for each in _with_spines(wanted, design, leaf)):
            found = _cabled(choice, wanted.offer, refusal)
            why = found if isinstance(found, GpufabricError) else refusal(found, None)
            if why is None and isinstance(found, Choice):
                return found
            first = first or why
    if first is None:
        raise IntentError(Problem("--spine", "no such switch can be a spine of these leaves", hint=LIST))
    raise first


def known_leaves() -> dict[str, str]:
    """``OS:MODEL`` -> its ports, of every model that can be named."""
    return {f"{os}:{model.model}": _ports(model) for os, _, model in _models(Model())}


def _ports(model: SwitchModel) -> str:
    return ", ".join(f"{each.count} x {each.cage} up to {each.max_gbps}G" for each in model.ports)


def _leaves(wanted: Wanted) -> Iterator[Tier]:
    """Cages that are used up come first, then those that are not split, then models with more ports."""
    speed, length_m = wanted.speed_gbps, wanted.offer.ports_m
    found = []
    for os, release, model in _models(wanted.leaf):
        for ways in WAYS:
            ports = model.ports_at(speed, ways)
            if ports and (wanted.leaf.model or 2 * len(ports) > sum(1 for _ in model.cages())):
                is_wasted = model.group_of(ports[0]).max_gbps > ways * speed
                split = f"{ways}x{speed}G" if ways > 1 else None
                order = (is_wasted, ways, -len(ports), os, model.model)
                found.append((order, Tier(os, release, model, length_m, split)))
    yield from (tier for _, tier in sorted(found, key=lambda each: each[0]))


def _with_spines(wanted: Wanted, design: str, leaf: Tier) -> Iterator[Choice]:
    """Whole cages first, and spines that are the leaves' model, so that one spare switch serves both."""
    meant = wanted.spine if wanted.spine != Model() else Model(leaf.os)
    spines = sorted(_models(meant), key=lambda each: (each[2].model != leaf.model.model, -len(list(each[2].cages()))))
    for up in dict.fromkeys((None, leaf.down)):
        fastest = _gbps(up) if up else max(leaf.model.speeds_gbps)
        for os, release, model in spines:
            for down in (None, *(each for each in model.splits if each[0] != "1" and _gbps(each) == fastest)):
                spine = Tier(os, release, model, wanted.offer.links_m, down, down)
                yield Choice(design, wanted.speed_gbps, replace(leaf, up=up), spine)


def _gbps(split: str) -> int:
    return int(split.partition("x")[2].removesuffix("G"))


def _cabled(choice: Choice, offer: FabricOffer, refusal: Refusal) -> Choice | GpufabricError:
    """With the first media that join both ends of each cable; else why there are none."""
    links = (replace(choice, spine=replace(choice.spine, medium=each)) for each in offer.link_media)
    linked = _first(links, refusal)
    if isinstance(linked, GpufabricError):
        return linked
    return _first((replace(linked, leaf=replace(linked.leaf, medium=each)) for each in offer.media), refusal)


def _first(choices: Iterable[Choice], refusal: Refusal) -> Choice | GpufabricError:
    """The first one that a few hosts can have; else why the first of all cannot be."""
    first: GpufabricError | None = None
    for each in choices:
        if (why := refusal(each, FEW_HOSTS)) is None:
            return each
        first = first or why
    return first or IntentError("no medium is offered")


def _models(meant: Model) -> Iterator[tuple[str, str, SwitchModel]]:
    """OS, release and model."""
    for os, platform in sorted(platforms().items()):
        for model in load_catalogue().switches.values():
            release = _release(platform.facts, model.asic_under(os)) if os in model.os and meant.fits(os, model) else ""
            if release:
                yield os, release, model


def _release(facts: OsFacts, asic: str) -> str:
    """The newest release of which sources show all that is rendered, else the newest; empty where there is none."""
    best = ""
    for train in reversed(facts.trains):
        release = train.release.replace("(x)", "(1)")  # a train as a whole; a switch runs one release of it
        try:
            assumed = facts.capabilities(release, asic).assumed
        except KeyError:
            continue
        if not assumed:
            return release
        best = best or release
    return best


def _no_leaf(wanted: Wanted) -> Problem:
    """No model has ports of this speed: which speeds or models there are."""
    speed, meant = wanted.speed_gbps, wanted.leaf
    name = meant.model or meant.os or "switch"
    others = dict.fromkeys(f"{os}:{model.model}" for os, _, model in _models(Model()) if _has(model, speed))
    speeds = sorted({each for _, _, model in _models(meant) for each in model.speeds_gbps if _has(model, each)})
    expected = f"one of {', '.join(f'{each}G' for each in speeds)}" if speeds else ""
    hint = f"with such ports: {', '.join(others)}" if others else "no model of the catalogue has such ports"
    return Problem("--speed", f"no {name} has ports of {speed}G for hosts", expected, f"{speed}G", hint)


def _has(model: SwitchModel, speed_gbps: int) -> bool:
    return any(2 * len(model.ports_at(speed_gbps, ways)) > sum(1 for _ in model.cages()) for ways in WAYS)

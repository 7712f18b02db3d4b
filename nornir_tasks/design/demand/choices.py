"""The model, OS and release of each switch: the tiers and overrides of the intent, looked up in the catalogue."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.model.capabilities import Capabilities, OsFacts
from nornir_tasks.design.model.catalogue import Catalogue, NicModel, OpticModel, SwitchModel
from nornir_tasks.design.model.media import RJ45, TWISTED_PAIR
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.core.fields import Split
from nornir_tasks.intent.core.findings import Finding, Marks, Path
from nornir_tasks.intent.core.unknown import UNKNOWN, UnknownValueError, attempt, independent
from nornir_tasks.intent.keys.edge import EdgeIntent
from nornir_tasks.intent.keys.fabric import CoreIntent, LeafIntent, SpineIntent, SwitchChoice


@dataclass(frozen=True, slots=True)
class Choice:
    """One kind of switch: a model under a release."""

    os: str
    release: str
    model: SwitchModel
    capabilities: Capabilities
    path: Path
    """Where the intent chooses it."""
    down: Split | None = None
    """How the cages of downlinks are split."""
    up: Split | None = None

    @property
    def down_ways(self) -> int:
        """Legs of a downlink cage."""
        return self.down.ways if self.down else 1

    @property
    def up_ways(self) -> int:
        """Legs of an uplink cage."""
        return self.up.ways if self.up else 1


@dataclass(frozen=True)
class Choices:
    """The kinds of switch of one fabric."""

    demand: Demand
    leaf: Choice
    leaf_overrides: tuple[Choice, ...]
    spine: Choice
    spine_overrides: tuple[Choice, ...]
    core: Choice | None
    nic: NicModel | None
    optics: Mapping[str, OpticModel] = field(default_factory=dict)
    """The twin-port optics, by model."""

    def leaf_of(self, group: int, rail: int | None) -> Choice:
        """The kind of switch of the leaf with this group and rail."""
        for override, choice in zip(self.demand.fabric.leaf.overrides, self.leaf_overrides, strict=True):
            if override.covers(group, rail, self.demand.group):
                return choice
        return self.leaf

    def spine_of(self, index: int) -> Choice:
        """The kind of switch of the spine with this number."""
        for override, choice in zip(self.demand.fabric.spine.overrides, self.spine_overrides, strict=True):
            if override.covers(index):
                return choice
        return self.spine

    @property
    def leaves(self) -> tuple[Choice, ...]:
        """Every kind of leaf that these hosts may be cabled to."""
        pairs = zip(self.demand.fabric.leaf.overrides, self.leaf_overrides, strict=True)
        there = [(override, choice) for override, choice in pairs if override.may_have(self.demand.group)]
        whole = tuple(choice for override, choice in there if override.is_of_hosts)
        return whole or (self.leaf, *(choice for _, choice in there))

    @property
    def host_medium(self) -> str | None:
        """Medium of the cables to hosts: the intent's; twisted pair where leaves have RJ45 ports alone for them."""
        speed_gbps, declared = self.demand.nics.speed, self.demand.fabric.leaf.medium
        cages = {each.model.cage_of(each.down_ways, speed_gbps) for each in self.leaves}
        return TWISTED_PAIR if declared is None and cages == {RJ45} else declared

    @property
    def leaves_of_fabric(self) -> tuple[Choice, ...]:
        """Every kind of leaf of the fabric, whatever hosts it has."""
        return (self.leaf, *self.leaf_overrides)

    @property
    def spines(self) -> tuple[Choice, ...]:
        """Every kind of spine."""
        return (self.spine, *self.spine_overrides)

    @property
    def all(self) -> tuple[Choice, ...]:
        """Every kind of switch."""
        return (*self.leaves, *self.spines, *((self.core,) if self.core else ()))


def choose(
    demand: Demand,
    catalogue: Catalogue,
    facts: Mapping[str, OsFacts],
    marks: Marks,
    allow_memory: Sequence[str] = (),
) -> Choices:
    """Look up every name in the fabric and its hosts. Raises IntentError with all unknown names."""
    chooser = _Chooser(catalogue, facts, [])
    leaf, leaf_overrides = chooser.tier(demand.fabric.leaf, demand.on_fabric("leaf"))
    spine, spine_overrides = chooser.tier(demand.fabric.spine, demand.on_fabric("spine"))
    core = chooser.tier(demand.fabric.core, demand.on_fabric("core"))[0] if demand.fabric.core is not None else None
    nic = attempt(lambda: chooser.nic(demand))
    if chooser.findings:
        raise IntentError(marks.problems(chooser.findings))
    if leaf is None or spine is None:
        raise UnknownValueError
    choices = Choices(demand, leaf, leaf_overrides, spine, spine_overrides, core, nic, catalogue.optics)
    unknown = list(_unknown_shapes(allow_memory, choices))
    if unknown:
        raise IntentError(marks.problems(unknown))
    return choices


def choose_one(
    wanted: EdgeIntent, path: Path, catalogue: Catalogue, facts: Mapping[str, OsFacts], marks: Marks
) -> Choice:
    """Look up one kind of switch that is no tier of a fabric. Raises IntentError with all unknown names."""
    chooser = _Chooser(catalogue, facts, [])
    nowhere = (None, None), (path, path)
    found = attempt(lambda: chooser.choice(wanted.platform, wanted.release, wanted.model, (path, path, path), *nowhere))
    if chooser.findings:
        raise IntentError(marks.problems(chooser.findings))
    if found is None:
        raise UnknownValueError
    return found


def _unknown_shapes(allow_memory: Sequence[str], choices: Choices) -> Iterator[Finding]:
    """Names in ``allow_memory`` that are no line shape of any switch of the site."""
    known = sorted({name for each in choices.all for name in each.capabilities.memory_only})
    for position, name in enumerate(allow_memory):
        if name not in known:
            yield _unknown(("allow_memory", position), "line shape", name, known)


@dataclass(frozen=True)
class _Chooser:
    catalogue: Catalogue
    facts: Mapping[str, OsFacts]
    findings: list[Finding]

    def tier(self, tier: LeafIntent | SpineIntent | CoreIntent, path: Path) -> tuple[Choice | None, tuple[Choice, ...]]:
        """The tier's own kind of switch, and one per override; None and fewer where a value is unknown."""
        found = attempt(lambda: self._tier(tier, path))
        return found or (None, ())

    def _tier(
        self, tier: LeafIntent | SpineIntent | CoreIntent, path: Path
    ) -> tuple[Choice | None, tuple[Choice, ...]]:
        splits = (tier.breakout, tier.uplink_breakout)
        base = self.choice(tier.platform, tier.release, tier.model, (path, path, path), splits, (path, path))
        overrides = []
        for position, override in enumerate(() if isinstance(tier, CoreIntent) else tier.overrides):
            at = (*path, "overrides", position)
            choice = self.choice(
                override.platform or tier.platform,
                override.release or tier.release,
                override.model or tier.model,
                _origins(override, at, path),
                (override.breakout or tier.breakout, override.uplink_breakout or tier.uplink_breakout),
                (at if override.breakout else path, at if override.uplink_breakout else path),
            )
            if choice is not None:
                overrides.append(choice)
        return base, tuple(overrides)

    def nic(self, demand: Demand) -> NicModel | None:
        name = demand.nics.model
        if name is None:
            return None
        if name not in self.catalogue.nics:
            self.findings.append(_unknown(demand.on_nics("model"), "NIC model", name, self.catalogue.nics))
            return None
        nic = self.catalogue.nics[name]
        if demand.nics.copies is not None:
            self.findings.extend(_not_so_many_ports(demand, nic))
        elif demand.nics.speed not in nic.speeds_gbps:
            speeds = ", ".join(f"{speed}G" for speed in nic.speeds_gbps)
            self.findings.append(
                Finding(demand.on_nics("speed"), f"{name} has no such speed", speeds, f"{demand.nics.speed}G")
            )
        return nic

    def choice(
        self,
        os: str,
        release: str,
        model: str,
        at: tuple[Path, Path, Path],
        splits: tuple[Split | None, Split | None],
        at_splits: tuple[Path, Path],
    ) -> Choice | None:
        """One kind of switch; ``at``: where its platform, release and model stand."""
        found = list(self._problems(os, release, model, at))
        if not found and any(each is UNKNOWN for each in (os, release, model)):
            return None
        if not found:
            found = list(_impossible_splits(self.catalogue.switches[model], splits, at_splits))
        self.findings.extend(found)
        if found:
            return None
        switch = self.catalogue.switches[model]
        known = self.facts[os].capabilities(release, switch.asic_under(os))
        return Choice(os, release, switch, known, at[2], *splits)

    def _problems(self, os: str, release: str, model: str, at: tuple[Path, Path, Path]) -> Iterator[Finding]:
        at_os, at_release, at_model = (
            (*path, key) for path, key in zip(at, ("platform", "release", "model"), strict=True)
        )
        if os not in self.facts:
            yield _unknown(at_os, "platform", os, self.facts)
            return
        switch = attempt(lambda: self.catalogue.switches.get(model))
        if switch is None:
            yield from independent(self._no_such_model(os, model, at_model))
            yield from independent(self._release(os, release, at_release))
        elif os not in switch.os:
            yield Finding(
                at_model, f"{switch.vendor} {model} does not run {os}", f"platform {' or '.join(switch.os)}", os
            )
        else:
            problems = list(independent(self._release(os, release, at_release)))
            if release is not UNKNOWN:
                yield from problems or independent(self._asic(os, release, switch, at_model))

    def _no_such_model(self, os: str, model: str, path: Path) -> Iterator[Finding]:
        known = [name for name, each in self.catalogue.switches.items() if os in each.os]
        found = _unknown(path, f"{os} switch model", model, known)
        missing = self.facts[os].not_offered.get(model)
        yield found if missing is None else replace(found, what=f"{model} is not offered", hint=missing)

    def _release(self, os: str, release: str, path: Path) -> Iterator[Finding]:
        facts = self.facts[os]
        if not facts.takes(release):
            hint = "its lines were compared with no source: a switch could drop half of what it is sent"
            yield Finding(path, f"no capability record for {os} {release}", facts.taken_in_words, release, hint)

    def _asic(self, os: str, release: str, switch: SwitchModel, path: Path) -> Iterator[Finding]:
        asic = switch.asic_under(os)
        if not _is_known(self.facts[os], release, asic):
            others = sorted(
                name
                for name, each in self.catalogue.switches.items()
                if os in each.os and _is_known(self.facts[os], release, each.asic_under(os))
            )
            what = f"no capability record for {os} {release} on {asic or 'an ASIC that no source names'}"
            expected = f"one of {', '.join(others)}" if others else f"no model: none has a record for {os} {release}"
            hint = "queues, thresholds and MTU of a lossless fabric have no source for it"
            yield Finding(path, what, expected, switch.model, hint)


def _not_so_many_ports(demand: Demand, nic: NicModel) -> Iterator[Finding]:
    """Copies for which the NIC's cage does not have the ports, or not at this speed."""
    copies, speed = demand.nics.ports, demand.nics.speed
    if nic.modes_for(copies, speed):
        return
    path, split, known = demand.on_nics("copies"), f"{copies}x{speed}G", ", ".join(nic.splits)
    also = demand.on_nics("speed") if known else demand.on_nics("model")
    if not known:
        speeds = ", ".join(f"{speed}G" for speed in nic.speeds_gbps)
        what = f"no source says that the cage of {nic.model} is several ports"
        yield Finding(path, what, f"no copies: one port of {speeds}", split, also=also)
        return
    most = max(mode.ways * mode.speed_gbps for mode in nic.modes)
    over = f", which carries {most}G" if copies * speed > most else ""
    yield Finding(path, f"no such ports of the cage of {nic.model}{over}", f"one of {known}", split, also=also)


def _impossible_splits(
    model: SwitchModel, splits: tuple[Split | None, Split | None], at: tuple[Path, Path]
) -> Iterator[Finding]:
    """Breakouts that no cage of the model can do."""
    for split, path, key in zip(splits, at, ("breakout", "uplink_breakout"), strict=True):
        if split is not None and not model.modes_for(split.ways, split.speed_gbps):
            known = ", ".join(each for each in model.splits if not each.startswith("1x"))
            expected = f"one of {known}" if known else "no breakout: none is known of this model"
            yield Finding((*path, key), f"{model.model} has no cage that does this", expected, str(split))


def _is_known(facts: OsFacts, release: str, asic: str) -> bool:
    """Is there a capability record?"""
    try:
        facts.capabilities(release, asic)
    except KeyError:
        return False
    return True


def _origins(override: SwitchChoice, own: Path, tier: Path) -> tuple[Path, Path, Path]:
    """Paths of platform, release and model of an override: in the override itself, or in its tier."""
    return (
        own if override.platform else tier,
        own if override.release else tier,
        own if override.model else tier,
    )


def _unknown(path: Path, what: str, found: str, known: Mapping[str, object] | list[str]) -> Finding:
    names = sorted(known)
    close = get_close_matches(found, names, n=1)
    hint = f"did you mean {close[0]}?" if close else ""
    return Finding(
        path,
        f"unknown {what}",
        f"one of {', '.join(names)}" if names else "nothing: the site's switches have none",
        found,
        hint,
    )

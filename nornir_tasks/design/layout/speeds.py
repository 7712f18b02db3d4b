"""The speed of the links between two tiers: from the breakouts or the intent, else the highest common one."""

from collections.abc import Iterable

from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.model.catalogue import SwitchModel
from nornir_tasks.design.model.sizing import CannotBuildError
from nornir_tasks.intent.core.fields import Split
from nornir_tasks.intent.core.findings import Finding, Path

SERVICE_PORTS = 2
"""Up to this number, slow ports beside the cages are for management and taps, not for a fabric."""


def check_host_speed(choices: Choices) -> None:
    """Every leaf has ports for the hosts, whole or split as the intent says."""
    speed = choices.demand.nics.speed
    for leaf in choices.leaves:
        if leaf.down is not None and leaf.down.speed_gbps != speed:
            finding = Finding(
                choices.demand.on_fabric("leaf", "breakout"),
                f"legs of {leaf.down} for hosts at {speed}G",
                f"legs of {speed}G",
                str(leaf.down),
            )
            raise CannotBuildError(finding)
        if leaf.down is None and not leaf.model.ports_at(speed):
            speeds = ", ".join(f"{each}G" for each in sorted(leaf.model.speeds_gbps))
            split = next((each for each in leaf.model.splits if each.endswith(f"x{speed}G")), None)
            hint = f"leaf.breakout: {split} splits its cages" if split else ""
            raise CannotBuildError(
                Finding(
                    choices.demand.on_nics("speed"), f"{leaf.model.model} has no such port", speeds, f"{speed}G", hint
                )
            )


def uplink_speed(choices: Choices) -> int:
    """Speed of the links between leaves and spines."""
    leaves = choices.leaves_of_fabric
    splits = [("leaf", "uplink_breakout", each.up, each.model) for each in leaves]
    splits += [("spine", "breakout", each.down, each.model) for each in choices.spines]
    _one_speed(choices.demand, splits)
    models = [each.model for each in leaves if each.up is None]
    models += [each.model for each in choices.spines if each.down is None]
    everyone = [each.model for each in (*leaves, *choices.spines)]
    return _speed(choices.demand.on_fabric("spine"), choices.demand.fabric.spine.uplink_speed, splits, models, everyone)


def core_speed(choices: Choices, core: Choice, intended: int | None) -> int:
    """Speed of the links between spines and cores."""
    splits = [("spine", "uplink_breakout", each.up, each.model) for each in choices.spines]
    splits += [("core", "breakout", core.down, core.model)]
    _one_speed(choices.demand, splits)
    models = [each.model for each in choices.spines if each.up is None]
    models += [core.model] if core.down is None else []
    return _speed(
        choices.demand.on_fabric("core"),
        intended,
        splits,
        models,
        [*(each.model for each in choices.spines), core.model],
    )


End = tuple[str, str, Split | None, SwitchModel]
"""Tier and key of the intent, its value, and the model of switch with these cages."""
Splits = list[End]


def _one_speed(demand: Demand, splits: Splits) -> None:
    """The legs of one cage have one speed, and so have both ends of a link."""
    there = list(dict.fromkeys((tier, key, split, model) for tier, key, split, model in splits if split is not None))
    wanted = next((split.speed_gbps for _, _, split, _ in there if split.ways > 1), None)
    for tier, key, split, model in there:
        if wanted is not None and split.speed_gbps != wanted:
            same = next((each for each in reversed(model.splits) if each.endswith(f"x{wanted}G")), None)
            finding = Finding(
                demand.on_fabric(tier, key),
                "legs of one cage at two speeds, or of one cable at its two ends",
                f"legs of {wanted}G at every end of these cables",
                ", ".join(dict.fromkeys(f"{tier}.{key}: {split}" for tier, key, split, _ in there)),
                f"nearest that can be built: {tier}.{key}: {same}"
                if same
                else f"{model.model} has no legs of {wanted}G",
            )
            raise CannotBuildError(finding)


def _speed(
    path: Path, intended: int | None, splits: Splits, models: Iterable[SwitchModel], everyone: Iterable[SwitchModel]
) -> int:
    legs = {each.speed_gbps for _, _, each, _ in splits if each is not None}
    common = frozenset.intersection(*(_fabric_speeds(model) for model in models), *({frozenset(legs)} if legs else ()))
    if len(legs) == 1 and not intended and legs <= common:
        return legs.pop()
    if intended is None and common:
        return max(common)
    if intended is not None and intended in common:
        return intended
    names = ", ".join(sorted({model.model for model in everyone}))
    split = ", ".join(dict.fromkeys(f"{tier}.{key}: {each}" for tier, key, each, _ in splits if each))
    speeds = ", ".join(f"{speed}G" for speed in sorted(common)) or "a speed they share (they share none)"
    key = "uplink_speed" if intended else "model"
    what = f"no link between {names} at that speed" if intended else f"no link speed joins {names}"
    what += f" with {split}" if split else ""
    found = f"{intended}G" if intended else "; ".join(dict.fromkeys(map(_own_speeds, splits)))
    raise CannotBuildError(Finding((*path, key), what, speeds, found, "" if common else _nearest_split(splits)))


def _own_speeds(end: End) -> str:
    """What one end of these cables has: ``SN5600: 100G 200G 400G``."""
    return f"{end[3].model}: {' '.join(f'{each}G' for each in sorted(_speeds_of(end)))}"


def _speeds_of(end: End) -> frozenset[int]:
    _, _, split, model = end
    return frozenset({split.speed_gbps}) if split is not None else _fabric_speeds(model)


def _nearest_split(splits: Splits) -> str:
    """How the cages of one tier can be split so that the legs have a speed of the other tier's ports."""
    for tier, key in dict.fromkeys((tier, key) for tier, key, _, _ in splits):
        own = [model for each, _, _, model in splits if each == tier]
        others = [_speeds_of(end) for end in splits if end[0] != tier]
        for mode in own[0].splits:
            ways, legs_gbps = (int(each) for each in mode.removesuffix("G").split("x"))
            has_cages = all(len(model.ports_at(legs_gbps, ways)) > SERVICE_PORTS for model in own)
            if has_cages and all(legs_gbps in speeds for speeds in others):
                return f"nearest that can be built: {tier}.{key}: {mode}"
    return "models that have a speed in common, whole or split"


def _fabric_speeds(model: SwitchModel) -> frozenset[int]:
    """Speeds of the model's ports without the service ports (a pair of SFP+)."""
    return frozenset(speed for speed in model.speeds_gbps if len(model.ports_at(speed)) > SERVICE_PORTS)

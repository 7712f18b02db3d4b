"""The chosen layout: its cost, the runner-up and why it lost, the capacity with one spine lost."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nornir_tasks.design.demand.fabric_demand import Demand
    from nornir_tasks.design.model.sizing import Option, Sizing


def print_sizing(demand: "Demand", sizing: "Sizing", *, is_one_of_several: bool = False) -> None:
    """A few lines below the plane's own; of several groups of hosts on it each by its name."""
    from nornir_tasks.cli.console import out
    from nornir_tasks.design.layout.cheapest import in_words, why_lost

    chosen, other = sizing.chosen, sizing.runner_up
    hosts = f"hosts of {demand.group}" if is_one_of_several else "hosts"
    lines = [f"laid out for {demand.hosts.max} {hosts}: {in_words(chosen)}"]
    if other is None:
        lines.append("runner-up: none; no other layout keeps what is declared")
    else:
        lines.append(f"runner-up: {in_words(other)}; it lost: {why_lost(chosen, other)}")
    kept, least = chosen.capacity_after_loss, demand.fabric.spine.capacity_after_loss
    if kept > 1:
        lines.append(
            f"with one spine lost a leaf keeps all of its declared bandwidth, and {_percent(kept - 1)} headroom"
        )
    else:
        lines.append(f"with one spine lost a leaf keeps {_percent(kept)} of its declared bandwidth")
    if kept >= least:
        lines[-1] += f" (capacity_after_loss: {least:g})"
    for line in (*lines, *(f"warning: {each}" for each in sizing.warnings)):
        out.print(f"  {line}")


def sizing_as_json(sizing: "Sizing") -> dict[str, Any]:
    """Layout, runner-up and warnings of one plane, as ``nornir design --json`` prints them."""
    from nornir_tasks.design.layout.cheapest import why_lost

    chosen, other = sizing.chosen, sizing.runner_up
    ratio = chosen.layout.core_oversubscription
    lost = {} if other is None else {**_option(other), "lost_by": why_lost(chosen, other)}
    return {
        "core_oversubscription": None if ratio is None else float(ratio),
        "layout": _option(chosen),
        "runner_up": lost or None,
        "warnings": list(sizing.warnings),
    }


def _option(option: "Option") -> dict[str, Any]:
    from nornir_tasks.design.layout.cheapest import costs

    layout = option.layout
    copies = {"copies": layout.copies} if layout.copies > 1 else {}
    return {
        **copies,
        "leaves": layout.leaves,
        "leaf_groups": layout.leaf_groups,
        "hosts_per_group": layout.hosts_per_group,
        "spines": layout.spines,
        "spine_groups": layout.spine_groups,
        "cores": layout.cores,
        "uplinks": layout.uplinks,
        **costs(option),
        "capacity_after_loss": round(option.capacity_after_loss, 4),
    }


def _percent(share: float) -> str:
    """Three digits, and never as a power of ten."""
    return f"{100 * share:.3g} %" if share < 9.995 else f"{100 * share:.0f} %"

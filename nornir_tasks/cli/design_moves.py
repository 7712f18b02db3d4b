"""``nornir design --against OLD``: the manual steps that turn a cabled fabric into another."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nornir_tasks.design.moves import Move, Moves
    from nornir_tasks.usecases.site import SiteDesign


def print_moves(designed: "SiteDesign", old_site: str, *, json: bool) -> None:
    """Print the cables to add, move and remove, in an order that keeps the declared capacity."""
    from nornir_tasks.cli.console import out, print_json, say_site
    from nornir_tasks.design.moves import moves
    from nornir_tasks.usecases.site import load

    say_site(old_site)
    found = moves(load(old_site).network, designed.network)
    if json:
        print_json(as_json(found))
        return
    for number, step in enumerate(found.steps, start=1):
        out.print(f"step {number}: {len(step.moves)} cables")
        if step.below:
            names = ", ".join(step.below)
            out.print(f"  below the declared capacity, as these cables wait for one another: {names}")
        for move in step.moves:
            out.print(f"  {move.action.replace('_', ' ')} {move.cable}: {_text(move)}")
    for name in found.replaced:
        out.print(f"{name} becomes another model")
    if found.readdressed:
        out.print(f"{len(found.readdressed)} links change their addresses")
    counts = found.counts
    legs = "".join(
        f", {counts[action]} legs to {verb}"
        for action, verb in (("add_leg", "add"), ("remove_leg", "remove"))
        if counts[action]
    )
    out.print(
        f"{counts['add']} cables to add, {counts['move']} to move, {counts['remove']} to remove{legs}, "
        f"in {len(found.steps)} steps"
    )


def as_json(found: "Moves") -> dict[str, Any]:
    """The steps as data."""
    return {
        "counts": found.counts,
        "steps": [
            {
                "below": step.below,
                "moves": [
                    {
                        "cable": move.cable,
                        "action": move.action,
                        "before": move.before,
                        "after": move.after,
                        "medium": move.medium,
                        "length_m": move.length_m,
                        "exchanged": move.exchanged,
                    }
                    for move in step.moves
                ],
            }
            for step in found.steps
        ],
        "readdressed": found.readdressed,
        "replaced": found.replaced,
    }


def _text(move: "Move") -> str:
    before, after = (
        ", ".join(f"{upper[0]} {upper[1]} - {lower[0]} {lower[1]}" for upper, lower in legs)
        for legs in (move.before, move.after)
    )
    kind = f" ({move.medium}, {move.length_m} m)" if move.exchanged or move.action == "add" else ""
    return " -> ".join(part for part in (before, after) if part) + kind

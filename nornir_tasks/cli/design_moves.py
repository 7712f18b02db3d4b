"""``nornir design --against OLD``: the manual steps that turn a cabled fabric into another."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nornir_tasks.design.reports.move_steps import Move, Step
    from nornir_tasks.design.reports.moves import Moves
    from nornir_tasks.usecases.site import SiteDesign


def print_moves(designed: "SiteDesign", old_site: str, *, json: bool) -> None:
    """Print the cables to add, move and remove, in an order that keeps the declared capacity."""
    from nornir_tasks.cli.console import out, print_json, say_site
    from nornir_tasks.design.reports.moves import moves
    from nornir_tasks.usecases.site import load

    say_site(old_site)
    found = moves(load(old_site).network, designed.network)
    if json:
        print_json("design-moves", as_json(found))
        return
    for number, step in enumerate(found.steps, start=1):
        for line in _lines(number, step, found.replaced):
            out.print(line)
    if found.readdressed:
        out.print(f"{len(found.readdressed)} links change their addresses")
    counts = found.counts
    legs = "".join(
        f", {counts[action]} legs to {verb}"
        for action, verb in (("add_leg", "add"), ("remove_leg", "remove"))
        if counts[action]
    )
    again = f", {counts['replug']} to plug into a new switch as they were" if counts["replug"] else ""
    out.print(
        f"{counts['add']} cables to add, {counts['move']} to move, {counts['remove']} to remove{legs}{again}, "
        f"in {len(found.steps)} steps"
    )


def _lines(number: int, step: "Step", replaced: "Mapping[str, tuple[str, str]]") -> "Iterator[str]":
    """One step: what is done first, what capacity stays, who is below the declared one, cable by cable."""
    kept, of_all = step.kept.host_links
    uplinks = f"{float(step.kept.uplinks):.0%} of a leaf's declared uplink bandwidth"
    stays = f"stays: {uplinks}, {kept} of {of_all} links of a host"
    if step.replaced is None:
        yield f"step {number}: {len(step.moves)} cables; {stays}"
        reason = "as these cables wait for one another"
    else:
        before, after = replaced[step.replaced]
        yield f"step {number}: replace {step.replaced} ({before}) by a {after}, {len(step.moves)} cables; {stays}"
        yield f"  drain {step.replaced}, take it out, cable and push the new one, validate it, and return it to service"
        reason = "while it is out"
    if step.cut_off:
        yield f"  lose their last link meanwhile: {', '.join(step.cut_off)}"
    below = [name for name in step.below if name not in step.cut_off]
    if below:
        yield f"  below the declared capacity, {reason}: {', '.join(below)}"
    for move in step.moves:
        yield f"  {move.action.replace('_', ' ')} {move.cable}: {_text(move)}"


def as_json(found: "Moves") -> dict[str, Any]:
    """The steps as data."""
    return {
        "counts": found.counts,
        "steps": [
            {
                "replaced": step.replaced,
                "below": step.below,
                "cut_off": step.cut_off,
                "kept": {"uplinks": round(float(step.kept.uplinks), 3), "host_links": step.kept.host_links},
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
        "replaced": {name: {"before": was, "after": then} for name, (was, then) in found.replaced.items()},
    }


def _text(move: "Move") -> str:
    before, after = (
        ", ".join(f"{upper[0]} {upper[1]} - {lower[0]} {lower[1]}" for upper, lower in legs)
        for legs in (move.before, move.after)
    )
    kind = f" ({move.medium}, {move.length_m} m)" if move.exchanged or move.action == "add" else ""
    return " -> ".join(part for part in (before, after) if part) + kind

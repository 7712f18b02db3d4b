"""Refuse overrides that match no switch of the layout: they would silently have no effect."""

from collections.abc import Iterator

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.intent.core.findings import Finding


def refusals(choices: Choices, layout: Layout) -> Iterator[Finding]:
    """Every leaf group and spine in an override that the layout for ``hosts.max`` does not have."""
    for position, leaf in enumerate(choices.demand.fabric.leaf.overrides):
        path = choices.demand.on_fabric("leaf", "overrides", position, "groups")
        groups = layout.last_group
        for group in leaf.groups or ():
            if group > groups:
                made = f"{groups} leaf group{'s' if groups > 1 else ''}"
                hint = f"{choices.demand.most} makes {made}; one more begins beyond it"
                yield Finding(path, "no such leaf group", _up_to(groups), str(group), hint)
    for position, spine in enumerate(choices.demand.fabric.spine.overrides):
        path = choices.demand.on_fabric("spine", "overrides", position, "index")
        for index in spine.index:
            if index > layout.spines:
                yield Finding(path, "no such spine", _up_to(layout.spines), str(index))


def _up_to(last: int) -> str:
    return f"1-{last}" if last > 1 else "1"

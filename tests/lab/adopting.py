"""Leave for a push to take over what others have on switches, as a plan names it."""

from __future__ import annotations

from dataclasses import replace

from at_terminal import Operator

from nornir_tasks.usecases import push as usecase
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import Selection


def adopting(chosen: Selection, reach: Reach, *, all_of_it: bool = False) -> Reach:
    """The same reach, and what is in the way of this push adopted; ``all_of_it``: and what would stay else."""
    plans = usecase.plan(chosen, replace(reach, allow_management=frozenset(chosen))).plans
    met = {
        name: tuple(dict.fromkeys(each.adopt for each, _ in plan.others if all_of_it or each.is_in_the_way))
        for name, plan in plans.items()
    }
    return replace(reach, adopt={name: objects for name, objects in met.items() if objects})


def adopt_words(operator: Operator, *words: str, all_of_it: bool = False) -> list[str]:
    """The same at a terminal: the options that a plan with these words names."""
    devices = operator.json("plan", *words)["devices"].values()
    others = [each for device in devices for each in device["others"] if all_of_it or each["replaced_by"]]
    return [word for name in dict.fromkeys(each["adopt"] for each in others) for word in ("--adopt", name)]

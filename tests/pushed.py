"""The evidence that pushes leave, for plans that are made without a journal."""

from dataclasses import replace

from nornir_tasks.deploy.dependence import living_without
from nornir_tasks.deploy.evidence import Done, Evidence
from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import ConfigTree, Path, in_printed_order


def pushed(wanted: Wanted, *adopted: Path) -> Evidence:
    """Of one push of this to a bare switch; ``adopted``: by the push that is planned now."""
    return evidence(done(wanted, ConfigTree(), wanted.tree), adopted=adopted)


def evidence(*standing: Done, adopted: tuple[Path, ...] = ()) -> Evidence:
    """Of these pushes, the earliest first; whose the lines were may have changed since."""
    return Evidence(lambda: standing, adopted, last_claims="of an earlier design" if standing else "")


def done(wanted: Wanted, before: ConfigTree, after: ConfigTree) -> Done:
    """One push, as the journal has it."""
    to_text = wanted.platform.to_text
    return Done(to_text(before), to_text(after))


def of(wanted: Wanted, plan: DevicePlan) -> Done:
    """The push of a plan, as the journal has it."""
    added = (each.path for each in plan.changes if each.op == "+")
    needs = living_without(wanted.platform, added, plan.foreign_before)
    return replace(done(wanted, in_printed_order(plan.owned_before), plan.owned_after), needs=needs)

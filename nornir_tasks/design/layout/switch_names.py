"""What switches are called, as far as their systems have a say: LLDP, checks and base configuration compare it."""

from collections.abc import Iterator, Mapping

from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.keys.fabric import FabricIntent
from nornir_tasks.intent.keys.site import Intent


def check(intent: Intent, facts: Mapping[str, OsFacts]) -> None:
    """Raise DesignError for prefixes of names that a system of the fabric's switches refuses."""
    found = [each for name, fabric in intent.fabrics.items() for each in _prefix(name, fabric, facts)]
    if found:
        raise DesignError(intent.marks.problems(found))


def _prefix(name: str, fabric: FabricIntent, facts: Mapping[str, OsFacts]) -> Iterator[Finding]:
    prefix = fabric.name_prefix or ""
    systems = {tier.platform for tier in (fabric.leaf, fabric.spine, fabric.core) if tier is not None}
    overrides = (*fabric.leaf.overrides, *fabric.spine.overrides)
    systems |= {each.platform for each in overrides if each.platform is not None}
    for system in sorted(systems & facts.keys()):
        for character, why in facts[system].not_in_names.items():
            if character in prefix:
                expected = f"a prefix such as {prefix.replace(character, '-').strip('-')}"
                what = f"switches would be called {fabric.switch_name('spine-1')}"
                yield Finding(("fabrics", name, "name_prefix"), what, expected, prefix, why)

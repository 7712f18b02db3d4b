"""What others have in the default VRF, and a new list of the control plane would keep from them: refused by name."""

from collections.abc import Iterator

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.access_lists import AclBinding, AclRule, Family
from nornir_tasks.design.config.reach import FABRIC_LISTS
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path
from nornir_tasks.proofs.filters import lists_of, passed
from nornir_tasks.proofs.packets import addresses, of_rule, without_all


def refuse_cut_off(wanted: Wanted, changes: tuple[Change, ...], foreign: ConfigTree) -> None:
    """Raise RefusedError for each line of others whose packets a list refuses that this push applies or changes."""
    if not any(name in " ".join(each.path).split() for each in changes for name in FABRIC_LISTS.values()):
        return
    problems = list(_cut_off(wanted, foreign))
    if problems:
        raise RefusedError(problems)


def _cut_off(wanted: Wanted, foreign: ConfigTree) -> Iterator[Problem]:
    named = set[tuple[str, str | None]]()
    for path, what, address, rule in _heard(wanted, foreign):
        if (what, address) in named:
            continue
        named.add((what, address))
        family: Family = "ipv6" if address is not None and ":" in address else "ipv4"
        if not _lets_in(wanted, family, address, rule):
            line = " / ".join(path)
            yield Problem(
                wanted.device,
                f"the list of its control plane would refuse {what} that others have: it would go down",
                "lines of others that need nothing but what the list lets in",
                line,
                f"take it out, have this site remove it (--adopt '{wanted.device}:{line}'), or leave "
                "control_plane.fabric out of the base of this fabric",
            )


def _heard(wanted: Wanted, foreign: ConfigTree) -> Iterator[tuple[Path, str, str | None, AclRule]]:
    for path, _ in foreign.walk():
        text = " / ".join(path)
        for each in wanted.platform.hears:
            if found := each.line.fullmatch(text):
                yield path, each.what, found.groupdict().get("address"), each.packets
                break


def _lets_in(wanted: Wanted, family: Family, address: str | None, rule: AclRule) -> bool:
    lists = lists_of(wanted.config.base.reach.fabric, denies_rest=True)
    packets = of_rule(rule, family)._replace(source=addresses(address, family))
    bound = (AclBinding(family, "in", FABRIC_LISTS[family]),)
    return not without_all(packets, (each.packets for each in passed(lists, bound, (family, "in"), packets)))

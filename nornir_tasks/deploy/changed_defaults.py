"""A switch whose defaults others changed: the wanted configuration as that switch would print it. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from nornir_tasks.deploy.wanted import Wanted, of_owners
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.defaults import FACTORY, Defaults
from nornir_tasks.platforms.ownership import split


def as_it_would_print(wanted: Wanted, running: ConfigTree) -> Wanted:
    """The same with its tree as this switch would print it; ``wanted`` itself for one with the factory's defaults.

    What a rollback brings back was printed by the switch, so it stays as it is.
    RefusedError for a line of others that decides what lines of ours mean, if we cannot write these out.
    """
    os = wanted.platform
    defaults = os.defaults(running)
    if defaults == FACTORY or not wanted.text:
        return wanted
    rendered = os.to_tree(wanted.text)
    if problems := list(_undecided(wanted, rendered, defaults)):
        raise RefusedError(problems)
    return replace(wanted, tree=_sent(wanted, os.canonical(rendered, defaults)))


def _sent(wanted: Wanted, tree: ConfigTree) -> ConfigTree:
    os = wanted.platform
    return of_owners(os, split(tree, os.ownership, wanted.claims), wanted.sends)


def _undecided(wanted: Wanted, rendered: ConfigTree, defaults: Defaults) -> Iterator[Problem]:
    for each in defaults.relied_on(_sent(wanted, rendered)) if defaults.others else ():
        yield Problem(
            where=wanted.device,
            what=f"a line of others decides what lines of ours mean: {' / '.join(each.path)}",
            expected=each.expected,
            hint=f"{each.hint}; then plan again",
        )

"""``nornir rollback``: bring the owned sections back to what they were before the last push."""

import dataclasses
from typing import TYPE_CHECKING

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.deploy.wanted import Wanted


def rollback(
    site: options.Site = "lab",
    limit: options.Limit = None,
    yes: options.Yes = False,
    accept_release: options.AcceptRelease = False,
    unguarded: options.Unguarded = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Undo the last push: the same transaction, with the journal's earlier sections as what is wanted."""
    from nornir_tasks.cli.fleet import Choice, chosen
    from nornir_tasks.cli.push import run
    from nornir_tasks.deploy.journal import Journal
    from nornir_tasks.design.claims import SWITCH
    from nornir_tasks.errors import Problem, RefusedError
    from nornir_tasks.files.site import state_directory

    journal = Journal(state_directory(site) / "journal.sqlite")
    last = journal.last_push()
    if last is None:
        raise RefusedError(Problem(site, "no push is in the journal; there is nothing to roll back"))
    entries = {entry.device: entry for entry in journal.entries(last)}
    planes = sorted(journal.owners(last) - {SWITCH})
    choice = Choice(accept_release=accept_release, workers=workers, unguarded=unguarded)
    scope, pushed = chosen(site, planes, limit, choice)
    wanted = {name: restored(each, entries[name].before) for name, each in pushed.items() if name in entries}
    run("rollback", scope, wanted, choice, yes=yes, json=json)
    for name in wanted:
        journal.end(last, name, "undone")


def restored(each: "Wanted", before: str) -> "Wanted":
    """The same switch with earlier owned sections as what is wanted."""
    tree = each.platform.to_tree(before)
    config = each.platform.parse(tree, each.capabilities, each.device, each.config.model).config
    return dataclasses.replace(each, tree=tree, config=config)

"""What switches ran before a push: what a rollback wants there."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.journal import JOURNAL, Entry, Journal
from nornir_tasks.deploy.problems import not_kept
from nornir_tasks.deploy.undo import require_push
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.errors import RefusedError
from nornir_tasks.intent.core.secret_name import has_hidden
from nornir_tasks.usecases.progress import On, ignore
from nornir_tasks.usecases.reach import Access, Reach
from nornir_tasks.usecases.secrets import vault_of
from nornir_tasks.usecases.site import Selection, SiteDesign, select


def restored(each: Wanted, push: Done) -> Wanted:
    """The same switch, with a push taken back.

    Secrets come back by name, with the values that these names have now.
    """
    tree = each.platform.to_tree(push.before)
    config = each.platform.parse(tree, each.capabilities, each.device, each.config.model).config
    return dataclasses.replace(each, text="", tree=tree, config=config, undoes=push)


@dataclass(frozen=True, eq=False)
class Earlier(Mapping[str, Wanted]):
    """The configurations before a push; each is made on access and not kept."""

    selection: Selection
    journal: Journal
    entries: Mapping[str, Entry]

    def __getitem__(self, name: str) -> Wanted:
        """Raises RefusedError for a switch with a secret that had no name: its value was never kept."""
        each, entry = self.selection[name], self.entries[name]
        before = self.journal.before(entry)
        if has_hidden(before):
            paths = (path for path, _ in each.platform.to_tree(before).walk() if has_hidden(path[-1]))
            lines = [" / ".join(path) for path in paths]
            raise RefusedError(not_kept(name, entry.push, lines, self._free))
        return restored(each, self.journal.done(entry))

    @cached_property
    def _free(self) -> tuple[str, ...]:
        """The switches that can be brought back as a whole."""
        return tuple(name for name, entry in self.entries.items() if not has_hidden(self.journal.before(entry)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def before(
    design: SiteDesign, push: int, reach: Reach, on: On = ignore, limit: Sequence[str] = ()
) -> tuple[Earlier, Access]:
    """What the switches ran before a push, and the way to them. Raises RefusedError for a push of no journal."""
    journal = Journal(design.site.record_directory / JOURNAL)
    require_push(journal, push)
    entries = {entry.device: entry for entry in journal.entries(push)}
    selection = select(design, sorted(journal.owners(push) - {SWITCH}), limit)
    access = Access(reach, on, vault_of(design, selection.planes))
    selection = selection.with_releases(access.accepted(selection))
    return Earlier(selection, journal, {name: entries[name] for name in selection if name in entries}), access

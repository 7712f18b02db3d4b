"""What switches ran before a push: what a rollback wants there."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.journal import Entry, Journal
from nornir_tasks.deploy.problems import not_kept
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import GpufabricError, RefusedError
from nornir_tasks.intent.core.secret_name import has_hidden
from nornir_tasks.usecases.site import Selection


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


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The way back of a push that failed on one switch and was to be all or nothing."""

    rollbacks: tuple[int, ...]
    """Their numbers in the journal."""
    back: tuple[str, ...]
    """Switches that it had changed, and that run again what they ran before; sorted."""
    left: Mapping[str, GpufabricError]
    """Switch -> why it may still run what the push changed."""

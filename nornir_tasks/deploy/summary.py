"""The summary of one switch's plan: everything that is shown, decided and compared later, in a few kilobytes.

A first push of 1,280 switches changes four million lines; as objects they are gigabytes.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nornir_tasks.deploy.dependence import Others
from nornir_tasks.deploy.plan import DevicePlan, running_config
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.drivers.company import Company
from nornir_tasks.drivers.session import Facts, Waiting
from nornir_tasks.errors import Problem
from nornir_tasks.intent.core.secret_name import for_others
from nornir_tasks.platforms.config_tree import Change

_PART, _ROW = "\x1d", "\x1e"
"""Occur in no line: a switch's text is split at these characters too, and JSON escapes them."""
_FAST = 1
"""zlib's level: a fifteenth of the size is left, at less than 2 ms for 6,000 lines."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a switch, kept for a plan that is pushed later."""

    facts: Facts
    packed: bytes
    """Its running configuration, compressed: a fifteenth is left."""

    @classmethod
    def of(cls, facts: Facts, text: str) -> "Read":
        """``text``: with secrets by name. Digests of others' mean nothing to another process, and are left out."""
        return cls(facts, zlib.compress(for_others(text).encode(errors="surrogatepass"), _FAST))

    @property
    def text(self) -> str:
        """Unpacked again each time."""
        return zlib.decompress(self.packed).decode(errors="surrogatepass")


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """The change of one switch as it is shown. No changes: the switch already holds exactly what is wanted."""

    device: str
    owners: frozenset[str]
    """The owners of these sections, as in the journal."""
    count: int
    """The number of changed lines."""
    disruption: Disruption
    """The most disruptive class of all changes."""
    is_saved: bool
    """A reboot keeps what runs."""
    waiting: Waiting | None
    """A commit that is not confirmed: what runs is taken back soon."""
    packed: bytes
    """The changes and what each does to traffic, compressed."""
    digest: int
    """Hash of the changes in their order; valid in this process only."""
    begins_to_spray: bool
    """The change has it balance packet by packet, which it does not do as it runs."""
    others: tuple[tuple[Others, Disruption], ...] = ()
    """Lines that are not shown to be ours and that this push meets, with what losing each would do to traffic."""
    unshown: tuple[str, ...] = ()
    """Places of wanted secrets that cannot be compared, as the switch does not show them."""
    company: tuple[Company, ...] = ()
    """Open changes beside which the switch is not pushed to."""
    lacks_bytes: int = 0
    """Room that the files of this change would need, and the switch does not have."""
    drain: Drain | None = None
    """The drain that the switch has after the change: one that it has already stays."""
    read: Read | None = None
    """What it comes from; None: it was not wanted."""
    since: tuple[Problem, ...] = ()
    """Why this is not what an earlier plan says of the switch, which the push is to carry out."""

    def rows(self) -> Iterator[tuple[Change, Disruption]]:
        """Every change with what it does to traffic, in the order of the plan; unpacked again each time."""
        if not self.count:
            return
        for row in zlib.decompress(self.packed).decode(errors="surrogatepass").split(_ROW):
            mark, *path = row.split(_PART)
            yield Change(tuple(path), "+" if mark[0] == "+" else "-"), _CLASSES[int(mark[1:])]

    @property
    def changes(self) -> tuple[Change, ...]:
        """The lines that change; unpacked again each time."""
        return tuple(change for change, _ in self.rows())

    @property
    def is_stopped(self) -> bool:
        """Lines of others are in the way of this change."""
        return any(each.is_in_the_way for each, _ in self.others)

    def is_of(self, plan: DevicePlan) -> bool:
        """Does this plan change the same lines, in whatever order the switch printed them?"""
        return hash(plan.changes) == self.digest or frozenset(plan.changes) == frozenset(self.changes)


_CLASSES = tuple(Disruption)
_MARKS = {worst: str(number) for number, worst in enumerate(_CLASSES)}


def packed_rows(rows: Iterable[tuple[Change, Disruption]]) -> bytes:
    """Changes with what each does to traffic, as a summary keeps them."""
    text = _ROW.join(_PART.join((change.op + _MARKS[worst], *change.path)) for change, worst in rows)
    return zlib.compress(text.encode(errors="surrogatepass"), _FAST) if text else b""


def summary(plan: DevicePlan, wanted: Wanted) -> PlanSummary:
    """Summarise a plan."""
    os = wanted.platform
    classes = [os.disruption(change) for change in plan.changes]
    packed = packed_rows(zip(plan.changes, classes, strict=True))
    worst = max(set(classes), key=lambda each: each.severity, default=Disruption.NONE)
    digest = hash(plan.changes)
    sprays = _begins_to_spray(plan, wanted)
    return PlanSummary(
        plan.device,
        wanted.owners,
        len(plan.changes),
        worst,
        plan.is_saved,
        plan.waiting,
        packed,
        digest,
        sprays,
        tuple((each, os.disruption(Change(each.path, "-"))) for each in plan.others),
        plan.unshown,
        plan.company,
        plan.lacks_bytes,
        wanted.drain,
    )


def _begins_to_spray(plan: DevicePlan, wanted: Wanted) -> bool:
    """Only a switch that should, and whose lines change, is parsed for it."""
    if not plan.changes or not _sprays(wanted.config):
        return False
    return not _sprays(running_config(wanted, plan))


def _sprays(config: DeviceConfig) -> bool:
    return config.load_balancing is not None and config.load_balancing.mode == "per_packet"

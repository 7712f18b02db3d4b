"""The front panel of one kind of switch as the design uses it: downlinks from the first port, uplinks from the last.

Split cages are used whole: an uplink never begins in a cage that also has downlinks.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from nornir_tasks.design.demand.choices import Choice
from nornir_tasks.design.model.catalogue import Mode, Slot, SwitchModel


@dataclass(frozen=True)
class Panel:
    """Every possible downlink and every possible uplink of one kind of switch, in the panel's order."""

    model: SwitchModel
    down: tuple[Slot, ...]
    up: tuple[Slot, ...]
    up_ways: int = 1

    @classmethod
    def of(cls, choice: Choice, down_gbps: int, up_gbps: int | None = None) -> "Panel":
        """The panel of one kind of switch, at the speeds of both directions."""
        down = choice.model.slots_at(down_gbps, choice.down_ways)
        up = () if up_gbps is None else choice.model.slots_at(up_gbps, choice.up_ways)
        return cls(choice.model, down, up, choice.up_ways)

    def downlinks(self, count: int) -> tuple[Slot, ...]:
        """The first ports."""
        return self.down[:count]

    def uplinks(self, count: int) -> tuple[Slot, ...]:
        """The last ports: as many cages as needed, filled from the first of them."""
        cages = -(-count // self.up_ways)
        return self.up[-cages * self.up_ways :][:count] if count else ()

    def takes(self, down: int, up: int) -> bool:
        """Does the panel have this many ports in both directions at once?"""
        if down > len(self.down) or up > len(self.up):
            return False
        return not self._cages(self.downlinks(down)) & self._cages(self.uplinks(up))

    def ports(self) -> int:
        """Number of all cages, for messages."""
        return len({slot.number for slot in (*self.down, *self.up)})

    @cached_property
    def _costly(self) -> frozenset[tuple[int, int]]:
        modes: Iterable[Mode] = (mode for group in self.model.ports for mode in group.modes)
        return frozenset((mode.ways, mode.speed_gbps) for mode in modes if mode.disables_next)

    def _cages(self, slots: tuple[Slot, ...]) -> frozenset[int]:
        taken = {slot.number for slot in slots}
        taken |= {slot.number + 1 for slot in slots if (slot.ways, slot.speed_gbps) in self._costly}
        return frozenset(taken)


@lru_cache(maxsize=64)
def all_slots(model: SwitchModel, planned: tuple[Slot, ...]) -> tuple[Slot, ...]:
    """Every port on the panel once the planned cages are split, without those that a split removes."""
    split = {slot.number: slot for slot in planned if slot.ways > 1}
    gone = {
        number + 1
        for number, slot in split.items()
        for mode in model.group_of(number).modes_for(slot.ways, slot.speed_gbps)
        if mode.disables_next
    }
    slots: list[Slot] = []
    for number, group in model.cages():
        if number in split:
            whole = split[number]
            slots += (Slot(number, leg, whole.ways, whole.speed_gbps, whole.lanes) for leg in range(whole.ways))
        elif number not in gone:
            slots.append(Slot(number, 0, 1, 0, group.lanes))
    return tuple(slots)

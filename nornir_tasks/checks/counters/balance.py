"""Equal paths carry alike: members of ECMP groups, and spines over all leaves.

A few large flows fall unevenly by chance. How uneven chance may be follows from how many senders there are at least:
as many as are needed to make up what went up, taking those that sent most first. Their flows fall on each member
alike, so a member's share has the variance of a sum of that many weighed choices (binomial, by the weights' squares).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

from nornir_tasks.checks.about import About
from nornir_tasks.checks.counters.soaked import Hit, Soak, number
from nornir_tasks.design.model.links import Link
from nornir_tasks.platforms.counted import Counter, Place

QUIET_SHARE = 1e-3
"""Share of the members' bandwidth below which nothing is judged: chosen; routing and LLDP need less."""
EMPTY_SHARE = 0.01
"""Share of its fair part below which a member carries nothing: chosen; routing and LLDP use less than that."""
BY_CHANCE = 1e-3
"""How likely one false alarm of an empty member may be in a soak, over all members of the site: chosen."""
DEVIATIONS = 6.0
"""Standard deviations from the fair part that chance is taken for: chosen, as a site has thousands of members."""
UNEVEN = 0.25
"""Share of its fair part that a member may differ by, however many flows there are: chosen."""

ABOUT = About(
    name="even-paths",
    each="switch with more than one link upwards",
    reads=(Counter.BYTES_OUT, Counter.BYTES_IN),
    wanted="the links of the design; the fabric's load balancing",
    passes=f"no member is empty and none differs by more than {UNEVEN:.0%} and {DEVIATIONS:.0f} standard deviations of "
    "what chance does with as many senders; or less went up than can be judged",
    fails=f"a member carries under {EMPTY_SHARE:.0%} of its fair part though chance would hardly leave it out, or far "
    "more or less than the others",
)


@dataclass(frozen=True, slots=True)
class _Group:
    """The links upwards of one switch, and what went over each of them."""

    device: str
    bytes_out: Mapping[str, float]
    """Port -> bytes."""
    senders: tuple[float, ...]
    """The fewest senders that make up what went up, by what they sent."""
    is_sprayed: bool

    @property
    def chance_of_empty(self) -> float:
        """How likely one given member gets no flow."""
        members = len(self.bytes_out)
        return float((1 - 1 / members) ** len(self.senders)) if not self.is_sprayed else 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation of a member's part, as a share of its fair part."""
        if self.is_sprayed:
            return 0.0
        total, squares = sum(self.senders), sum(each * each for each in self.senders)
        return sqrt((len(self.bytes_out) - 1) * squares) / total if total else 1.0


def upwards(soak: Soak, device: str) -> list[Link]:
    """The links of a switch to those above it."""
    return [each for each in soak.network.links_of(device) if each.kind == "fabric" and each.lower.device == device]


def check_balance(soak: Soak) -> list[Hit]:
    """Members that carry nothing, and members that carry far more or less than the others."""
    groups = [group for device in soak.switches for group in _groups(soak, device)]
    members = sum(len(each.bytes_out) for each in groups)
    return [hit for group in groups for hit in _judged(soak, group, members)]


def _groups(soak: Soak, device: str) -> Iterator[_Group]:
    """One for each set of links that go upwards; of three tiers, a leaf's and a spine's."""
    rates = soak.rates[device]
    up = [each for each in upwards(soak, device) if each.upper.device not in soak.drained]
    if len(up) < 2 or not rates.reads(Counter.BYTES_OUT):
        return
    out = {each.lower.port: rates.of(Counter.BYTES_OUT).get(Place(each.lower.port)) for each in up}
    carried = {port: value for port, value in out.items() if value is not None}
    capacity = sum(each.speed_gbps for each in up) * 1e9 / 8 * rates.seconds
    total = sum(carried.values())
    if len(carried) < len(up) or total < QUIET_SHARE * capacity:
        return
    balancing = soak.network.fabrics[soak.network.device(device).fabric].load_balancing
    yield _Group(device, carried, tuple(_senders(soak, device, up, total)), balancing == "per_packet")


def _senders(soak: Soak, device: str, up: list[Link], total: float) -> Iterator[float]:
    """Ports from which what went up came, the largest first, as few as suffice."""
    above = {each.lower.port for each in up}
    came = soak.rates[device].of(Counter.BYTES_IN)
    left = total
    for place, value in sorted(came.items(), key=lambda each: -each[1]):
        if left <= 0 or value <= 0:
            return
        if place.index is None and place.port not in above:
            yield min(value, left)
            left -= value


def _judged(soak: Soak, group: _Group, members: int) -> Iterator[Hit]:
    total, count = sum(group.bytes_out.values()), len(group.bytes_out)
    fair = total / count
    empty = [port for port, value in group.bytes_out.items() if value < EMPTY_SHARE * fair]
    if empty and group.chance_of_empty * members < BY_CHANCE:
        for port in empty:
            words = f"carries {group.bytes_out[port] / fair:.1%} of its fair part of what goes up"
            yield _hit(soak, group, port, words, fair)
        return
    limit = max(UNEVEN, DEVIATIONS * group.deviation)
    port = max(group.bytes_out, key=lambda each: abs(group.bytes_out[each] - fair))
    if not empty and abs(group.bytes_out[port] / fair - 1) > limit:
        part = group.bytes_out[port] / fair
        words = f"carries {part:.0%} of its fair part, where chance explains {limit:.0%} more or less"
        yield _hit(soak, group, port, words, fair)


def _hit(soak: Soak, group: _Group, port: str, words: str, fair: float) -> Hit:
    far = soak.far(group.device, port)
    above = far.device if far else port
    value, seconds = group.bytes_out[port], soak.seconds(group.device)
    gbps, fair_gbps = (number(each * 8 / 1e9 / seconds) for each in (value, fair))
    message = f"{soak.where(group.device, port)}: {words}: {gbps} Gb/s of {fair_gbps}"
    cable = soak.cable(group.device, port)
    remedy = f"is it a next hop there? nornir validate --only ecmp --limit {group.device}; {cable}"
    found = f"{value / fair:.0%} of the fair part"
    key = ("uneven", above) if far else ("uneven", group.device, port)
    return Hit(group.device, port, message, "about the fair part", found, key, remedy, abs(value - fair))

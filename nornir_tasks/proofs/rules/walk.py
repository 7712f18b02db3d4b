"""Packets through the chains of one machine: which are let on, which are not, and the line that decides.

An ``accept`` ends a chain with a hook, not the way: later chains of the hook are asked as well, and a ``drop`` in any
of them is final (nft(8), VERDICT STATEMENT). Limits are taken both ways: kept, and exceeded. What is not understood is
taken both ways too, and what passes or not by it is in doubt.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from nornir_tasks.proofs.rules.matches import WORD, Condition, NotUnderstoodError, Reader, address_ranges
from nornir_tasks.proofs.rules.packets import ORIGINAL, PORTS, TRACKED, Packets, limits, merged, split
from nornir_tasks.proofs.rules.ranges import Ranges
from nornir_tasks.proofs.rules.ruleset import Chain, Rule, Ruleset

NO_PART = frozenset({"counter", "log", "comment"})
"""Statements that decide nothing."""
NOTES = frozenset({"meta", "ct"})
"""What ``mangle`` may write without changing a packet's fields: rules that read it are not understood."""
TRANSLATIONS = frozenset({"snat", "dnat", "masquerade", "redirect"})


@dataclass(frozen=True, slots=True)
class Way:
    """How packets came so far."""

    over: tuple[Rule, ...] = ()
    """Limits that are exceeded."""
    doubts: tuple[str, ...] = ()
    """Lines that are not understood, of which it depends."""
    sender: Ranges = ()
    """Who sent them, where their source is another one now; of the set, not of each packet. Empty: it is as it was."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Packets on one way."""

    packets: Packets
    way: Way = Way()


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of packets at a hook."""

    packets: Packets
    passes: bool
    by: Rule | str
    """The line that decides, or the end of a chain."""
    way: Way = Way()


@dataclass(slots=True)
class Walker:
    """Takes packets of one family through one ruleset."""

    ruleset: Ruleset
    reader: Reader
    _conditions: dict[tuple[Rule, int], Condition | None] = field(default_factory=dict)

    def at(self, hook: str, packets: Iterable[Packets]) -> list[Fate]:
        """What becomes of these at a hook; where no chain asks, everything passes."""
        return self.on(hook, [Fate(each, passes=True, by=f"no chain at hook {hook}") for each in packets])

    def on(self, hook: str, left: list[Fate]) -> list[Fate]:
        """What becomes at a hook of what passed others before."""
        finished: list[Fate] = []
        for chain in self.ruleset.hooks.get(hook, ()):
            if chain.key[0] in WORD and WORD[chain.key[0]] != self.reader.family:
                continue
            passed: list[Fate] = []
            for before in left:
                for fate in self._through(chain, before):
                    (passed if fate.passes else finished).append(fate)
            left = passed
        return finished + left

    def _through(self, chain: Chain, before: Fate) -> Iterator[Fate]:
        if chain.kind == "nat":
            # Rules are asked about what opens a connection, and the rest of it is treated alike; answers are undone.
            inside, rest = split(before.packets, limits(state=TRACKED, direction=ORIGINAL))
            yield from (replace(before, packets=each) for each in rest)
            if inside is None:
                return
            before = replace(before, packets=inside)
        decided, left = self._chain(chain, [Arrived(before.packets, before.way)])
        yield from decided
        passes = chain.policy == "accept"
        # The line that let packets on earlier says more than the end of a chain that had nothing to say.
        by = before.by if passes and isinstance(before.by, Rule) else chain.end
        yield from (Fate(each.packets, passes, by, each.way) for each in left)

    def _chain(self, chain: Chain, arrived: list[Arrived]) -> tuple[list[Fate], list[Arrived]]:
        """What is decided in a chain, and what falls off its end or returns."""
        decided: list[Fate] = []
        returned: list[Arrived] = []
        for rule in chain.rules:
            if not arrived:
                break
            found = _Line(self, rule)
            for each in arrived:
                found.take(each)
            decided += found.decided
            returned += found.returned
            arrived = _fewer(found.after)
        return decided, returned + arrived

    def jump(self, rule: Rule, target: str, arrived: list[Arrived]) -> tuple[list[Fate], list[Arrived]]:
        """Through another chain of the same table."""
        return self._chain(self.ruleset.chains[*rule.chain[:2], target], arrived)

    def condition(self, rule: Rule, place: int, body: Mapping[str, Any]) -> Condition:
        """What the match at this place asks. Raises NotUnderstoodError."""
        key = rule, place
        if key not in self._conditions:
            try:
                self._conditions[key] = self.reader.condition(body, rule.chain)
            except NotUnderstoodError:
                self._conditions[key] = None
        found = self._conditions[key]
        if found is None:
            raise NotUnderstoodError
        return found


def _fewer(arrived: list[Arrived]) -> list[Arrived]:
    """The same packets in fewer sets."""
    if len(arrived) < 2:
        return arrived
    ways: list[tuple[Way, list[Packets]]] = []
    for each in arrived:
        for way, its in ways:
            if way == each.way:
                its.append(each.packets)
                break
        else:
            ways.append((each.way, [each.packets]))
    return [Arrived(one, way) for way, its in ways for one in merged(its)]


@dataclass(slots=True)
class _Line:
    """One rule at work."""

    walker: Walker
    rule: Rule
    decided: list[Fate] = field(default_factory=list)
    after: list[Arrived] = field(default_factory=list)
    """What goes on to the next rule."""
    returned: list[Arrived] = field(default_factory=list)

    def take(self, arrived: Arrived) -> None:
        """Statement by statement; what matches none of it goes on."""
        inside = [arrived]
        for place, statement in enumerate(self.rule.statements):
            if not inside:
                return
            kind, body = next(iter(statement.items()))
            inside = self._statement(place, kind, body, inside)
        self.after += inside

    def _statement(self, place: int, kind: str, body: Any, inside: list[Arrived]) -> list[Arrived]:  # noqa: ANN401 - JSON
        """What is still within the rule after this statement."""
        if kind in NO_PART or (kind == "mangle" and next(iter(body["key"])) in NOTES):
            return inside
        try:
            found = self._narrowed(place, kind, body, inside)
        except NotUnderstoodError:
            return inside if self._is_of_excess(place) else self._doubted(inside)
        if found is not None:
            return found
        return [] if self._verdict(kind, body, inside) else self._doubted(inside)

    def _is_of_excess(self, place: int) -> bool:
        """Does the rule ask next whether a limit is exceeded? Then what is within limits goes on, whatever it is."""
        following = self.rule.statements[place + 1 : place + 2]
        return any(
            kind in ("limit", "ct count") and body.get("inv") for each in following for kind, body in each.items()
        )

    def _narrowed(self, place: int, kind: str, body: Any, inside: list[Arrived]) -> list[Arrived] | None:  # noqa: ANN401
        """By a statement that lets on some packets and others not; None: this one is another. NotUnderstoodError."""
        match kind:
            case "match":
                return self._matched(self.walker.condition(self.rule, place, body), inside)
            case "vmap":
                return self._by_map(body, inside)
            case "limit" | "ct count":
                return self._limited(inside, matches_over=bool(body.get("inv")))
            case "set":
                return self._put(body, inside)
        return None

    def _matched(self, condition: Condition, inside: list[Arrived]) -> list[Arrived]:
        hits = []
        for each in inside:
            known = [each.packets]
            if condition.unsure is not None:
                unsure, known = split(each.packets, condition.unsure)
                hits += self._doubted([replace(each, packets=unsure)] if unsure is not None else [])
            for packets in known:
                yes, no = condition.split(packets)
                hits += [replace(each, packets=one) for one in yes]
                self.after += [replace(each, packets=one) for one in no]
        return hits

    def _by_map(self, body: Mapping[str, Any], inside: list[Arrived]) -> list[Arrived]:
        choices = list(self.walker.reader.choices(body, self.rule.chain))
        for condition, verdict in choices:
            mine = _Line(self.walker, self.rule)
            hits = mine._matched(condition, inside)
            inside = mine.after
            kind, target = next(iter(verdict.items()))
            if not self._verdict(kind, target, hits):
                self._doubted(hits)
        self.after += inside
        return []

    def _limited(self, inside: list[Arrived], *, matches_over: bool) -> list[Arrived]:
        over = [_marked(each, over=(self.rule,)) for each in inside]
        self.after += inside if matches_over else over
        return over if matches_over else inside

    def _put(self, body: Mapping[str, Any], inside: list[Arrived]) -> list[Arrived]:
        """``add @set { ip saddr limit rate over ... }``: what the element's own statements let on."""
        inside = self._matched(self.walker.reader.needs(body["elem"]), inside)
        for statement in body.get("stmt", ()):
            kind, its = next(iter(statement.items()))
            if kind in ("limit", "ct count"):
                inside = self._limited(inside, matches_over=bool(its.get("inv")))
            elif kind not in NO_PART:
                return self._doubted(inside)
        return inside

    def _translated(self, kind: str, body: Mapping[str, Any], arrived: Arrived) -> Fate:
        """With another source; what becomes of other destinations is not followed."""
        found: Ranges = ()
        if kind in ("snat", "masquerade"):
            with suppress(NotUnderstoodError):
                found = address_ranges(body["addr"]) if "addr" in body else self.walker.reader.local
        if not found:
            doubted = _marked(arrived, doubts=(str(self.rule),))
            return Fate(arrived.packets, passes=True, by=self.rule, way=doubted.way)
        packets = arrived.packets._replace(source=found, source_port=PORTS)
        return Fate(packets, True, self.rule, replace(arrived.way, sender=arrived.way.sender or arrived.packets.source))

    def _doubted(self, inside: list[Arrived]) -> list[Arrived]:
        """Both ways, and each in doubt."""
        line = str(self.rule)
        found = [_marked(each, doubts=(line,)) for each in inside]
        self.after += found
        return found

    def _verdict(self, kind: str, body: Any, inside: list[Arrived]) -> bool:  # noqa: ANN401 - JSON
        """Decide; False: this is no verdict that is known."""
        match kind:
            case "accept" | "drop" | "reject":
                self.decided += [Fate(each.packets, kind == "accept", self.rule, each.way) for each in inside]
            case "return":
                self.returned += inside
            case "continue":
                self.after += inside
            case "jump" | "goto":
                decided, left = self.walker.jump(self.rule, body["target"], inside) if inside else ([], [])
                self.decided += decided
                (self.after if kind == "jump" else self.returned).extend(left)
            case _ if kind in TRANSLATIONS:
                self.decided += [self._translated(kind, body or {}, each) for each in inside]
            case _:
                return False
        return True


def _marked(arrived: Arrived, *, over: tuple[Rule, ...] = (), doubts: tuple[str, ...] = ()) -> Arrived:
    """The same packets, with this beside what was said of their way."""
    way = arrived.way
    doubts = tuple(dict.fromkeys((*way.doubts, *doubts)))
    return replace(arrived, way=replace(way, over=(*way.over, *over), doubts=doubts))

"""The state of the search for causes: open findings, the causes found, and what each of them explains."""

from collections.abc import Hashable, Iterable, Iterator

from nornir_tasks.checks.causes.differences import AT, OF_PORT, Breaks
from nornir_tasks.checks.causes.interface_dependencies import Standing
from nornir_tasks.checks.evidence import End, Evidence, Far, Finding, Verdict
from nornir_tasks.design.contribute.mlag_config import peer_ends
from nornir_tasks.design.realise.tagging import port_of

Key = Hashable
"""Identifies a cause during the search."""


class Board:
    """Each finding is open until it leads a cause or follows one. Every look-up takes the same time on any fabric."""

    def __init__(self, evidence: Evidence, trouble: Iterable[Finding]) -> None:
        self.evidence = evidence
        self._by_check: dict[str, list[Finding]] = {}
        for finding in trouble:
            self._by_check.setdefault(finding.check, []).append(finding)
        self._failing = {
            (each.check, each.device, each.port)
            for found in self._by_check.values()
            for each in found
            if each.verdict is Verdict.FAIL
        }
        self._of: dict[int, Key] = {}
        self._causes: dict[Key, tuple[Finding, str, list[Finding]]] = {}
        self._explains: dict[tuple[str, str, str], Key] = {}
        self.routes: dict[tuple[Breaks, str], Key] = {}
        """(what is broken of its routes, switch) -> the cause."""
        self.dead: dict[str, Key] = {}
        """Switches that are taken to have no link left, though they could not be read -> the cause."""
        self.standing = Standing(evidence)
        self._links: dict[str, list[tuple[str, Far]]] = {}
        self._managed: dict[str, list[Far]] = {}
        for (device, port), far in evidence.far.items():
            if not far.is_host and device in evidence.wanted:
                self._links.setdefault(device, []).append((port, far))
            elif far.device in evidence.wanted:
                self._managed.setdefault(device, []).append(far)

        self._peers: dict[End, str] = {}
        """(leaf, interface by which it routes to the other leaf of its pair) -> its peer link."""
        for device, port in peer_ends(evidence.network):
            settings = evidence.wanted[device].pair if device in evidence.wanted else None
            if settings is not None:
                self._peers[device, port] = settings.peer_link
        self._subinterfaces: dict[End, list[str]] = {}
        for device, config in evidence.wanted.items():
            for each in config.interfaces:
                if each.tag is not None:
                    self._subinterfaces.setdefault((device, port_of(each.name)), []).append(each.name)

    @property
    def checks(self) -> tuple[str, ...]:
        """Checks with failures, in their order."""
        return tuple(self._by_check)

    def open(self, check: str) -> list[Finding]:
        """Failures of one check without a cause so far."""
        return [each for each in self._by_check.get(check, ()) if id(each) not in self._of]

    def failed(self, check: str) -> list[tuple[Finding, Key]]:
        """Failures of one check with a cause, and that cause."""
        found = self._by_check.get(check, ())
        return [(each, self._of[id(each)]) for each in found if each.verdict is Verdict.FAIL and id(each) in self._of]

    def fails(self, check: str, device: str, port: str) -> bool:
        """Did this check fail here?"""
        return (check, device, port) in self._failing

    def links(self, device: str) -> list[tuple[str, Far]]:
        """(port, far end) of each link to another switch."""
        return self._links.get(device, [])

    def managed(self, device: str) -> list[Far]:
        """The switch port that its management port is cabled to, and the management ports that are cabled to it."""
        return self._managed.get(device, [])

    def cable(self, device: str, port: str) -> str:
        """The cable that the plan has at this port."""
        return self.evidence.far[device, port].cable

    def has(self, key: Key) -> bool:
        """Is this cause known by now?"""
        return key in self._causes

    def lead(self, finding: Finding, remedy: str, key: Key) -> None:
        """A new cause, shown by this finding."""
        self._causes[key] = (finding, remedy, [])
        self._of[id(finding)] = key

    def remark(self, key: Key, text: str) -> None:
        """What else is known of a cause goes before its remedy."""
        finding, remedy, follows = self._causes[key]
        self._causes[key] = (finding, "; ".join(filter(None, (text, remedy))), follows)

    def follow(self, finding: Finding, key: Key) -> None:
        """One more effect of a cause."""
        self._causes[key][2].append(finding)
        self._of[id(finding)] = key

    def cover(self, key: Key, breaks: Breaks, device: str, port: str) -> None:
        """Record that a cause breaks this; the first cause recorded for a thing stays."""
        checks, at_both_ends = AT[breaks]
        for each in (port, *(self._subinterfaces.get((device, port), ()) if breaks in OF_PORT else ())):
            self._cover(key, checks, device, each, at_both_ends=at_both_ends)

    def _cover(self, key: Key, checks: frozenset[str], device: str, port: str, *, at_both_ends: bool) -> None:
        for end in self._ends(device, port, at_both_ends=at_both_ends):
            for check in checks:
                self._explains.setdefault((check, *end), key)

    def explanation(self, finding: Finding) -> Key | None:
        """The cause that breaks what this finding is about, or what that stands on."""
        known = self._explains.get((finding.check, finding.device, finding.port))
        end = finding.device, finding.port
        if known is None and finding.check == "bgp" and end in self._peers:
            return self._why_apart(end)
        if known is None and finding.check == "vlan" and not finding.port:
            return self._of_strangers(finding)
        if known is not None or finding.check not in {"port", "lacp", "trunks", "stp"}:
            return known
        if finding.check in {"trunks", "stp"}:
            return self.why_down(end)
        return self._from_beneath(end) if finding.check == "port" else self._from_group(end)

    def _of_strangers(self, finding: Finding) -> Key | None:
        """Ports in a VLAN that is not theirs are there by the causes for which these are in the wrong VLAN."""
        keys = [self.known("vlan", finding.device, port) for port in finding.found.split(", ")]
        return keys[0] if all(keys) else None

    def _why_apart(self, end: End) -> Key | None:
        """Why the session of a pair's members is down: their peer link is, or one of them has not its VLAN on it."""
        far = self.evidence.behind(*end)
        links = [
            (one[0], self._peers[one]) for one in (end, (far.device, far.port) if far else end) if one in self._peers
        ]
        known = self.why_down(links[0]) or self.why_down(end)
        return known or next((key for each in links if (key := self.known("trunks", *each))), None)

    def known(self, check: str, device: str, port: str) -> Key | None:
        """The cause that breaks this check at a port by itself."""
        return self._explains.get((check, device, port))

    def why_down(self, end: End) -> Key | None:
        """The cause for which an interface that failed is down; None if it did not fail, or nothing explains it."""
        return (self.known("port", *end) or self._from_beneath(end)) if self.fails("port", *end) else None

    def _from_group(self, end: End) -> Key | None:
        """A member is not bundled because its group is shut, here or at the far end."""
        groups = (group for each in self._ends(*end, at_both_ends=True) for group in self.standing.group(each))
        return next((known for group in groups if (known := self._explains.get(("port", *group)))), None)

    def _from_beneath(self, end: End) -> Key | None:
        """A group is down by its members, an SVI by what fails of its VLAN's ports."""
        height = self.standing.height(end)
        for below in self.standing.beneath(end) if height else ():
            known = self._explains.get(("port", *below)) or self._explains.get(("lacp", *below))
            if known is None and height > 1 and self.fails("port", *below):
                known = self._from_beneath(below)
            if known is not None:
                return known
        return None

    def result(self) -> list[tuple[Finding, str, list[Finding]]]:
        """(leading finding, remedy, what follows) of each cause.

        What may be taken back any moment comes first, then what most failures stand on, then most undecided results.
        """
        place = {id(each): number for number, each in enumerate(e for found in self._by_check.values() for e in found)}
        for _, _, follows in self._causes.values():
            follows.sort(key=lambda each: place[id(each)])

        def rank(cause: tuple[Finding, str, list[Finding]]) -> tuple[bool, int, int, int]:
            lead, _, follows = cause
            failures = sum(each.verdict is Verdict.FAIL for each in (lead, *follows))
            return lead.check != "unfinished", -failures, -len(follows), place[id(lead)]

        return sorted(self._causes.values(), key=rank)

    def _ends(self, device: str, port: str, *, at_both_ends: bool) -> Iterator[End]:
        yield device, port
        far = self.evidence.behind(device, port) if at_both_ends else None
        if far is not None and not far.is_host:
            yield far.device, far.port


class Groups:
    """Disjoint sets of names (union-find)."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The representative of the group."""
        above = self._above.setdefault(name, name)
        while above != self._above[above]:
            above = self._above[above]
        return above

    def join(self, one: str, other: str) -> None:
        """Join two groups."""
        self._above[self.of(other)] = self.of(one)

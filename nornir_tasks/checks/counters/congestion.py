"""What hosts make of marks, and whether each host's packets are in the class of its plane."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

from nornir_tasks.checks.about import About
from nornir_tasks.checks.counters.pauses import stopped_by_full
from nornir_tasks.checks.counters.soaked import Hit, Soak, number
from nornir_tasks.platforms.counted import Counter, Place

MOST_IGNORED = 0.01
"""Share of the notifications that came in which a host may ignore: chosen; a host that reacts ignores none."""
FEW_NOTIFICATIONS = 100.0
"""Fewer of them, or fewer marked packets, say nothing: chosen."""
LEAST_ARRIVING = 0.5
"""Share of the notifications sent that must have come in somewhere, where every host was read: chosen; each is one
packet in a strict class, and those on the way when the reading began are few."""
WRONG_SHARE = 0.5
"""Share of a host's packets in other than lossless classes from which on its class is wrong: chosen. RDMA is nearly all
that a GPU sends on such a plane."""
FEW_PACKETS = 1000.0
"""Fewer packets of a host than this say nothing about its class: chosen."""
ALIKE = 0.2
"""How near the packets of one host must be to what its leaf has too many of in other classes: chosen."""
LIKE_OTHERS = 0.5
"""Share of what three quarters of the hosts reach, from which on a host does the same work as they: chosen. Less in
another class is what an operating system sends beside RDMA."""
NEARLY_NONE = 0.1
"""A share that counts as none beside another one: chosen."""
LEAST_LEAVES = 3
"""Fewer leaves than this have no usual one among them."""

CNP = About(
    name="notifications",
    each="host",
    reads=(Counter.ECN_RECEIVED, Counter.CNP_SENT, Counter.CNP_HANDLED, Counter.CNP_IGNORED),
    wanted="the congestion profile: marks make notifications, and these slow a sender down",
    passes=f"it answers marked packets with notifications, and ignores less than {MOST_IGNORED:.0%} of those it gets",
    fails="it got marked packets and sent none, or ignores those that came; or, where all hosts were read, fewer than "
    f"{LEAST_ARRIVING:.0%} of all that were sent came in anywhere",
)
CLASS = About(
    name="host-class",
    each="switch with ports of hosts that have a lossless class, and host",
    reads=(Counter.QUEUE_PACKETS, Counter.PACKETS_IN),
    wanted="qos.classes; the classes of the plane of each port",
    passes=f"no host sends most of its packets, and at least {LIKE_OTHERS:.0%} of what three quarters of hosts "
    "reach, in other than lossless or strict classes",
    fails="one does: it does not mark its packets, or marks them otherwise. Where hosts were not read, their leaf's "
    "queues tell that, and not always which of them it is",
)
ABOUT = (CNP, CLASS)


def check_notifications(soak: Soak) -> list[Hit]:
    """Notifications that are not sent, ignored, or lost."""
    hits: list[Hit] = []
    for host in soak.read_hosts:
        total = {each: sum(soak.rates[host].of(each).values()) for each in map(Counter, CNP.reads)}
        marked, sent = total[Counter.ECN_RECEIVED], total[Counter.CNP_SENT]
        came = total[Counter.CNP_HANDLED] + total[Counter.CNP_IGNORED]
        ignored = total[Counter.CNP_IGNORED]
        where, remedy = soak.standing(host), f"ansible-playbook playbooks/validate.yml --limit {host}"
        if came >= FEW_NOTIFICATIONS and ignored > MOST_IGNORED * came:
            message = (
                f"{where}: ignores {number(ignored)} of {number(came)} congestion notifications: it does not slow down"
            )
            found = f"{ignored / came:.0%} ignored"
            expected = f"at most {MOST_IGNORED:.0%} ignored"
            covers = stopped_by_full(soak, partial(_sent_into, _leaves(soak, host)))
            hits.append(Hit(host, "", message, expected, found, ("notifications", host), remedy, ignored, covers))
        if marked >= FEW_NOTIFICATIONS and not sent and soak.rates[host].reads(Counter.CNP_SENT):
            message = (
                f"{where}: got {number(marked)} marked packets and sent no notification: its senders do not hear of it"
            )
            found = f"{number(marked)} marks, 0 notifications"
            covers = stopped_by_full(soak, partial(_ends_at, _leaves(soak, host)))
            key = ("notifications", host)
            hits.append(Hit(host, "", message, "notifications", found, key, remedy, marked, covers))
    return hits or list(_lost(soak))


def _lost(soak: Soak) -> Iterator[Hit]:
    """Sent and not arrived: only where every host of the site was read."""
    if not soak.read_hosts or {*soak.network.hosts} - {*soak.read_hosts}:
        return
    sums = [
        sum(sum(soak.rates[host].of(counter).values()) for host in soak.read_hosts)
        for counter in (Counter.CNP_SENT, Counter.CNP_HANDLED, Counter.CNP_IGNORED)
    ]
    sent, came = sums[0], sums[1] + sums[2]
    if sent >= FEW_NOTIFICATIONS and came < LEAST_ARRIVING * sent:
        most = max(soak.read_hosts, key=lambda each: sum(soak.rates[each].of(Counter.CNP_SENT).values()))
        message = f"of {number(sent)} congestion notifications {number(came)} came in; {most} sent most of them"
        remedy = "their class and its way: nornir prove --only class-path"
        found, covers = f"{came / sent:.0%}", stopped_by_full(soak, lambda *_: True)
        yield Hit(most, "", message, "all come in", found, ("notifications", ""), remedy, sent - came, covers)


def _leaves(soak: Soak, host: str) -> frozenset[str]:
    return frozenset(each.far(host).device for each in soak.network.links_of(host))


def _ends_at(leaves: frozenset[str], full: str, _: Collection[str]) -> bool:
    """Is that switch one of these leaves?"""
    return full in leaves


def _sent_into(leaves: frozenset[str], full: str, stopped: Collection[str]) -> bool:
    """May what comes in at these leaves have filled that switch: is it one of them, or does it stop one of them?"""
    return full in leaves or not leaves.isdisjoint(stopped)


def check_classes(soak: Soak) -> list[Hit]:
    """By what hosts count themselves where they were read; of the others by what their leaf sends in which queue."""
    return [*_of_hosts(soak), *_of_leaves(soak)]


def _of_hosts(soak: Soak) -> Iterator[Hit]:
    """Its own counters of each priority say it exactly: beside those of the other hosts at its leaf."""
    at_leaf: dict[str, list[tuple[str, str, float, float]]] = {}
    for host in soak.read_hosts:
        sums: dict[str, list[float]] = {}
        for place, value in soak.rates[host].of(Counter.QUEUE_PACKETS).items():
            lossless, shared = soak.classes_of_hosts.get((host, place.port), (frozenset[int](), frozenset[int]()))
            if place.index in lossless or (lossless and place.index in shared):
                sums.setdefault(place.port, [0.0, 0.0])[place.index in shared] += value
        for port, (right, wrong) in sums.items():
            if far := soak.far(host, port):
                at_leaf.setdefault(far.device, []).append((host, port, right, wrong))
    for found in at_leaf.values():
        usual = _busy([right for *_, right, _ in found])
        for host, port, right, wrong in found:
            if usual >= FEW_PACKETS and wrong >= LIKE_OTHERS * usual and wrong > WRONG_SHARE * (wrong + right):
                yield _wrong(soak, host, port, wrong, wrong + right, "no lossless class")


def _busy(values: Iterable[float]) -> float:
    """What three quarters of the hosts reach: zero where a few send and the others wait, as in an incast."""
    every = sorted(values)
    return every[len(every) // 4] if every else 0.0


def _wrong(soak: Soak, host: str, port: str, wrong: float, total: float, where: str) -> Hit:
    far = soak.far(host, port)
    at = f"{soak.standing(host)} {port}" + (f" <-> {far.device} {far.port}" if far else "")
    count = f"{number(wrong)} of {number(total)} packets that it sent"
    message = f"{at}: {count} are in {where}, and nothing pauses or marks them there"
    remedy = f"its traffic class and DSCP: ansible-playbook playbooks/validate.yml --limit {host}"
    found = f"{wrong / total:.0%} in other classes"
    return Hit(host, port, message, "the class of its plane", found, ("class", host), remedy, wrong)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One leaf: packets in other than lossless classes."""

    begun: float
    """That hosts of this leaf sent: what it sends of them, less what came from above."""
    share: float
    """Of all that its hosts sent."""
    sent: Mapping[str, float]
    """Port of a host -> packets that came in there."""
    received: Mapping[str, tuple[float, float]]
    """Port of a host -> packets that left there, in other classes and in lossless ones."""

    @property
    def candidates(self) -> list[str]:
        """Ports whose host sent as many packets as are in other classes."""
        return [port for port, value in self.sent.items() if abs(value - self.begun) <= ALIKE * value]


def _of_leaves(soak: Soak) -> Iterator[Hit]:
    """Where hosts were not read, a leaf's queues tell, if one of its hosts sent as much as is in other classes.

    One receiver gets nearly all of that and the others do not; or all receivers get some but one, as a host sends
    itself nothing; or this leaf's hosts send of it far more than those of the others.
    """
    leaves = {device: leaf for device in soak.switches if (leaf := _leaf(soak, device)) is not None}
    usual = median([each.share for each in leaves.values()]) if leaves else 0.0
    for device, leaf in leaves.items():
        much = (1 - ALIKE) * min(_busy(leaf.sent.values()), _busy(right for _, right in leaf.received.values()))
        if leaf.begun < max(much, FEW_PACKETS) or much < FEW_PACKETS or max(usual, leaf.share) > WRONG_SHARE:
            continue
        least = NEARLY_NONE * leaf.begun / len(leaf.sent)
        none = [port for port, (wrong, _) in leaf.received.items() if wrong <= least]
        most = [port for port, (wrong, right) in leaf.received.items() if wrong > max(right, much)]
        few, arrived = 0 < len(most) <= len(leaf.received) / 2, sum(leaf.received[port][0] for port in most)
        stands_out = len(leaves) >= LEAST_LEAVES and usual < NEARLY_NONE * leaf.share
        if len(none) == 1 and len(leaf.received) > 2 and none[0] in leaf.candidates:
            yield _sender(soak, device, leaf, none, "")
        elif leaf.candidates and (stands_out or (few and arrived >= (1 - ALIKE) * leaf.begun)):
            receivers = ", ".join(far.device for port in most if (far := soak.far(device, port)))
            yield _sender(soak, device, leaf, leaf.candidates, receivers)


def _sender(soak: Soak, device: str, leaf: _Leaf, ports: list[str], receivers: str) -> Hit:
    """Named where it is one host; else all that may be it, which only their own counters can tell apart."""
    may_be = [(far.device, far.port) for port in ports if (far := soak.far(device, port))]
    if len(may_be) == 1:
        return _wrong(soak, *may_be[0], leaf.begun, max(leaf.begun, leaf.sent[ports[0]]), "no lossless queue")
    hosts = [host for host, _ in may_be]
    where = f"are in no lossless queue{f', to {receivers}' if receivers else ''}"
    sent = f"{number(leaf.begun)} packets of its hosts {where}: one of {', '.join(hosts)} sent them"
    remedy = "which one, their own counters say: ansible-playbook playbooks/validate.yml"
    found, key = f"{leaf.share:.0%} in other classes", ("class", *hosts)
    expected = "the class of the plane"
    return Hit(device, ports[0], f"{soak.standing(device)}: {sent}", expected, found, key, remedy, leaf.begun)


def _leaf(soak: Soak, device: str) -> _Leaf | None:
    """None for a switch without such hosts, or whose hosts were all read; and where it or what is above was not."""
    hosts, sums = [], [0.0, 0.0]
    received: dict[str, tuple[float, float]] = {}
    for port in soak.lossless_ports(device):
        far, out = soak.far(device, port), _queues(soak, device, port)
        if far is None or out is None:
            continue
        above = _queues(soak, far.device, far.port) if soak.is_switch(far.device) else (0.0, 0.0)
        if above is None:
            return None
        sums = [total + here - there for total, here, there in zip(sums, out, above, strict=True)]
        if not soak.is_switch(far.device):
            hosts.append(port)
            received[port] = out
    if not hosts or all((far := soak.far(device, port)) and far.device in soak.rates for port in hosts):
        return None  # each of them says it itself
    came = soak.rates[device].of(Counter.PACKETS_IN)
    sent = {port: came[Place(port)] for port in hosts if Place(port) in came}
    wrong, right = sums
    return _Leaf(wrong, wrong / (wrong + right) if wrong + right > 0 else 0.0, sent, received)


def _queues(soak: Soak, device: str, port: str) -> tuple[float, float] | None:
    """Packets that left a port in shared and in lossless queues; None: not read."""
    wrong = (
        soak.grown(Counter.QUEUE_PACKETS, device, port, soak.shared_queues(device, port))
        if device in soak.rates
        else None
    )
    right = (
        soak.grown(Counter.QUEUE_PACKETS, device, port, soak.lossless_queues(device, port))
        if device in soak.rates
        else None
    )
    return None if wrong is None or right is None else (wrong, right)

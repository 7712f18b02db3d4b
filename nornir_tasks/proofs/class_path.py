"""One RDMA packet from application to application, and the congestion notification on its way back.

The rule is local, so it is judged cable by cable and host by host, and holds for every path made of these: both ends of
a cable sort all 64 code points alike, RDMA has a queue of its own that is paused and marked at both, notifications go
first at both, no switch writes another code point into a packet, and NICs put in order what a switch of their fabric
sends packet by packet. Of a cable the first link that is broken is reported, in the order a packet meets them:
application, traffic class, DSCP, class, queue, PFC, ECN, notification.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from nornir_tasks.design.demand.rdma_libraries import SETTINGS
from nornir_tasks.platforms.lossless import Effect, Setting
from nornir_tasks.proofs.cables import Cable, End, Read, Variables, each_once
from nornir_tasks.proofs.treatment import CODE_POINTS, Rdma, Treatment, points_in_words, queue_of
from nornir_tasks.proofs.verdicts import Broken, Outcome, Place, Statement, Tally

NAME = "class-path"
ECN_BITS = 0b11
ECT_0 = 0b10
"""RFC 3168: a packet that says so is marked where another is dropped."""
CONTROL_DSCP = 48
"""CS6, network control: what switches mark their own BGP and BFD packets with (RFC 4594, 3.1)."""

_EFFECTS: dict[Effect, str] = {
    "trust": "DSCP does not decide the class of packets",
    "classes": "packets are not sorted into all classes",
    "no queues": "the policy of the queues is not in force",
    "rewrite": "packets get another DSCP",
}


def judge(read: Read) -> Outcome:
    """Every host that speaks RDMA, and every cable between two switches or to such a host."""
    tally = Tally()
    for host, variables in read.hosts.items():
        if host in read.nics:
            tally.count(_of_host(host, variables, read), _may_spread(host, variables, read))
    for cable, broken in each_once(read.cables(tally), tally, _of_cable):
        doubts = (each for end in cable.ends for each in end.doubts)
        tally.count(broken, doubts)
    return tally.outcome(NAME, "hosts and cables", _notes(read))


def _notes(read: Read) -> Iterator[str]:
    """What else leaves by the queue of congestion notifications."""
    for fabric, rdma in sorted(read.rdma.items()):
        treatments = {end.treatment for name in read.ports for end in _ends_of(read, name, fabric) if end.treatment}
        sharing = {point for each in treatments for point in _beside_notifications(each, rdma)}
        names = [f"DSCP {points_in_words(sharing - {CONTROL_DSCP})}"] if sharing - {CONTROL_DSCP} else []
        if rdma.cnp_dscp == CONTROL_DSCP or CONTROL_DSCP in sharing:
            names.append(f"CS6 ({CONTROL_DSCP}): the switches' own BGP and BFD packets")
        if names:
            yield f"fabric {fabric}: notifications (DSCP {rdma.cnp_dscp}) share their queue with {'; '.join(names)}"


def _ends_of(read: Read, name: str, fabric: str) -> Iterator[End]:
    if name in read.network and read.network.device(name).fabric == fabric:
        ports = read.ports[name]
        seen = set[str | None]()
        for port, each in ports.interfaces.items():
            if each.qos_profile not in seen:
                seen.add(each.qos_profile)
                yield End(Place(name, port), ports, ports.treatment(port))


def _beside_notifications(treatment: Treatment, rdma: Rdma) -> set[int]:
    queue = treatment.queues[rdma.cnp_dscp]
    return {point for point in CODE_POINTS if treatment.queues[point] == queue} - {rdma.cnp_dscp}


# -- a host by itself ----------------------------------------------------------------------------------------------


def _of_host(host: str, variables: Variables, read: Read) -> Iterator[Broken]:
    """From the application to the wire; the first link that is broken."""
    rdma, nic = read.nics[host]
    yield from _first(
        _application(host, variables, rdma, nic),
        _like_others(host, variables, read, rdma),
        _in_order(host, variables, read),
    )


def _first(*parts: Iterator[Broken]) -> Iterator[Broken]:
    for part in parts:
        for each in part:
            yield each
            return


def _application(host: str, variables: Variables, rdma: Rdma, nic: Treatment) -> Iterator[Broken]:
    says = _Host(host, variables)
    sent = variables["roce_qos_traffic_class"]
    if "nccl_rails" in variables:
        yield from _libraries(says, sent)
    for name in ("nccl_rails", "rdma_stack_rails"):
        if strangers := set(variables.get(name, ())) - set(variables["roce_qos_rails"]):
            what = f"RDMA on {', '.join(sorted(strangers))}, whose NIC is not set up for it"
            yield says.apart(what, name, "roce_qos_rails")
    if sent >> 2 != rdma.dscp:
        yield says.apart(f"a traffic class of {sent} is DSCP {sent >> 2}", _TC, "roce_qos_dscp")
    if (sent & ECN_BITS == ECT_0) is not rdma.ecn:
        word = "can be marked, and the sender does not slow down" if not rdma.ecn else "cannot be marked but dropped"
        yield says.apart(f"packets with a traffic class of {sent} {word}", _TC, "roce_qos_ecn")
    if -1 in nic.priorities:
        points = points_in_words(each for each in CODE_POINTS if nic.priorities[each] == -1)
        yield says.apart(f"no class or two take DSCP {points}", "roce_qos_classes")
    if nic.priorities[rdma.dscp] != variables["roce_qos_priority"]:
        yield says.apart("the NIC sorts RDMA into another priority than it pauses", "roce_qos_priority", *_RDMA)
    if nic.priorities[rdma.cnp_dscp] != variables["roce_qos_cnp_priority"]:
        yield says.apart("the NIC sorts notifications elsewhere", "roce_qos_cnp_priority", *_CNP)


def _libraries(says: "_Host", sent: int) -> Iterator[Broken]:
    """What each RDMA library on a host with GPUs is given as its traffic class."""
    given = says.variables.get(_LIBRARIES) or {}
    for each in SETTINGS:
        name = "nccl_traffic_class" if each.by_file else _LIBRARIES
        found = says.variables.get(name) if each.by_file else given.get(each.variable)
        if found is None and not each.follows:
            what = f"{each.library}: nothing sets {each.variable}, so its packets bear {each.unset}"
            yield says.apart(what, *({name} & says.variables.keys()), _TC)
        elif found is not None and found != sent and each.variable != _CONTROL:
            yield says.apart(f"{each.library}: {each.variable} is {found}, and the NIC sends {sent}", name, _TC)


def _like_others(host: str, variables: Variables, read: Read, rdma: Rdma) -> Iterator[Broken]:
    """The far host answers with notifications, so both must mark alike."""
    rails = set(variables["roce_qos_rails"])
    for link in read.network.links_of(host):
        usual = read.rdma.get(link.fabric)
        if link.lower.port in rails and usual is not None and usual != rdma:
            what = f"marks RDMA otherwise than most hosts on fabric {link.fabric} do"
            expected = f"DSCP {usual.dscp}, notifications {usual.cnp_dscp}, ECN {'on' if usual.ecn else 'off'}"
            stated = _Host(host, variables).stated("roce_qos_dscp", "roce_qos_cnp_dscp", "roce_qos_ecn")
            yield Broken(host, f"{what}: {expected}", stated)


def _in_order(host: str, variables: Variables, read: Read) -> Iterator[Broken]:
    """NICs put in order again what switches send packet by packet, else a late packet has RDMA start over."""
    for fabric, rails in _rails(host, variables, read).items():
        late = rails - set(variables.get(_REORDER, ()))
        if late and (switch := read.spreading.get(fabric)) is not None:
            what = f"{switch} sends packet by packet, and NICs of {', '.join(sorted(late))} put none in order again"
            spread = Statement(Place(switch, ""), "packet by packet", Setting("spread"))
            variable = f"{_REORDER} = {_short(variables.get(_REORDER))}"
            yield Broken(host, what, (Statement(Place(host, ""), "in order of arrival", variable=variable), spread))


def _may_spread(host: str, variables: Variables, read: Read) -> Iterator[str]:
    """Lines of switches that are not known here and may send packet by packet what this host's NICs put in no order."""
    for fabric, rails in _rails(host, variables, read).items():
        if rails - set(variables.get(_REORDER, ())) and fabric in read.may_spread:
            yield f"{read.may_spread[fabric]}: not known how it spreads packets over equal-cost paths"


def _rails(host: str, variables: Variables, read: Read) -> dict[str, set[str]]:
    """Fabric -> the host's rails with RDMA on it."""
    found: dict[str, set[str]] = {}
    for link in read.network.links_of(host):
        if link.lower.port in variables["roce_qos_rails"]:
            found.setdefault(link.fabric, set()).add(link.lower.port)
    return found


_REORDER = "roce_qos_reorder_rails"
_TC = "roce_qos_traffic_class"
_LIBRARIES = "nccl_libraries"
_CONTROL = "NCCL_IB_FIFO_TC"
"""It may have a class of its own."""
_RDMA = ("roce_qos_dscp", "roce_qos_classes")
_CNP = ("roce_qos_cnp_dscp", "roce_qos_classes")


@dataclass(frozen=True, slots=True)
class _Host:
    host: str
    variables: Variables

    def stated(self, *names: str) -> tuple[Statement, ...]:
        return tuple(
            Statement(
                Place(self.host, ""), f"{self.variables[name]}", variable=f"{name} = {_short(self.variables[name])}"
            )
            for name in names
        )

    def apart(self, what: str, *names: str) -> Broken:
        return Broken(self.host, what, self.stated(*names))


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) < 100 else f"{text[:96]} ..."


# -- a cable -------------------------------------------------------------------------------------------------------


def _of_cable(cable: Cable) -> Iterator[Broken]:
    """The first link that is broken, from the lower end to the upper."""
    lower, upper = cable.ends
    if lower.treatment is None and upper.treatment is None:
        return
    yield from _first(
        _unsorted(cable),
        _classes(cable),
        _queues(cable),
        _pauses(cable),
        _marks(cable),
        _order(cable),
    )


def _unsorted(cable: Cable) -> Iterator[Broken]:
    for end in cable.ends:
        if end.treatment is None:
            other = next(each for each in cable.ends if each is not end)
            stated = end.says("no profile of the switch's", Setting("profile")), _classified(other)
            yield Broken(str(cable), "no QoS profile is on one end, so nothing sorts its packets", stated)
        for effect in sorted(end.treatment.effects & _EFFECTS.keys()) if end.treatment is not None else ():
            lines = end.ports.lines_of(effect, end.at.port) if end.ports is not None else ()
            lines_there = tuple(end.says_line(_EFFECTS[effect], each) for each in lines)
            yield Broken(str(cable), _EFFECTS[effect], (*lines_there, _classified(_other(cable, end))))


def _other(cable: Cable, end: End) -> End:
    return cable.upper if end is cable.lower else cable.lower


def _classified(end: End) -> Statement:
    return end.says("sorts by DSCP", Setting("profile"), "roce_qos_classes")


def _classes(cable: Cable) -> Iterator[Broken]:
    """All 64 code points, each in the company of the same others at both ends."""
    lower, upper = (end.treatment for end in cable.ends)
    if lower is None or upper is None:
        return
    if lower.classes == upper.classes and -1 not in (*lower.priorities, *upper.priorities):
        return
    moved = [point for point in _by_interest(cable.rdma) if _is_moved(lower, upper, point)]
    moved = moved or [point for point in CODE_POINTS if lower.classes[point] != upper.classes[point]]
    what = f"DSCP {points_in_words(moved)} is in another class at one end"
    quoted = moved[:_QUOTED_POINTS]
    yield Broken(str(cable), what, tuple(_point(end, each) for each in quoted for end in cable.ends))


_QUOTED_POINTS = 4


def _is_moved(lower: Treatment, upper: Treatment, point: int) -> bool:
    """Has a code point other company at both ends? One that others left or joined keeps most of its own."""
    if -1 in (lower.priorities[point], upper.priorities[point]):
        return True
    one, other = _company(lower, point), _company(upper, point)
    return 2 * len(one & other) <= len(one | other)


def _company(treatment: Treatment, point: int) -> frozenset[int]:
    label = treatment.classes[point]
    return frozenset(each for each in CODE_POINTS if treatment.classes[each] == label)


def _by_interest(rdma: Rdma | None) -> tuple[int, ...]:
    first = (rdma.dscp, rdma.cnp_dscp) if rdma is not None else ()
    return tuple(dict.fromkeys((*first, *CODE_POINTS)))


def _point(end: End, point: int) -> Statement:
    treatment = end.treatment
    priority = treatment.priorities[point] if treatment is not None else 0
    words = "in two classes" if priority == -1 else f"priority {priority}"
    setting = Setting("code point", number=point, priority=max(priority, 0))
    return end.says(f"DSCP {point}: {words}", setting, f"roce_qos_classes: DSCP {point} in priority {priority}")


def _queues(cable: Cable) -> Iterator[Broken]:
    """Each class has a queue, and no other class is in it."""
    for end in cable.ends:
        treatment = end.treatment
        if treatment is None:
            continue
        for point in _by_interest(cable.rdma):
            if treatment.classes[point] in treatment.unqueued:
                queue = treatment.queues[point]
                block = end.says(f"no line sets up queue {queue}", Setting("strict", number=queue))
                stated = (*_queue(end, point, f"queue {queue}"), block)
                yield Broken(str(cable), f"packets with DSCP {point} leave by a queue that is not set up", stated)
            elif others := treatment.shares_queue(point):
                stated = (*_queue(end, point, "same queue"), *_queue(end, others[0], "same queue"))
                yield Broken(str(cable), f"DSCP {point} and {others[0]} are two classes in one queue", stated)


def _queue(end: End, point: int, found: str) -> tuple[Statement, ...]:
    treatment = end.treatment
    priority = treatment.priorities[point] if treatment is not None else 0
    return (end.says(f"DSCP {point}: {found}", Setting("queue", priority=priority), f"priority {priority}"),)


def _pauses(cable: Cable) -> Iterator[Broken]:
    """The class of RDMA is paused at both ends, by the same priority, or at neither."""
    lower, upper = (end.treatment for end in cable.ends)
    if cable.rdma is None or lower is None or upper is None:
        return
    point = cable.rdma.dscp
    found = [_paused(each, point) for each in (lower, upper)]
    is_open = any(each is None and may_pause(end) for each, end in zip(found, cable.ends, strict=True))
    if found[0] != found[1] and not is_open:
        yield Broken(str(cable), "RDMA is paused by another priority at one end", tuple(map(pause, cable.ends, found)))


def _paused(treatment: Treatment, point: int) -> int | None:
    priority = treatment.priorities[point]
    return priority if priority in treatment.pauses else None


def may_pause(end: End) -> bool:
    """Do lines that are not known perhaps pause what those that are do not?"""
    is_known = end.ports is not None and "no pause" in end.ports.effects(end.at.port)
    return bool(end.doubts) and not is_known


def pause(end: End, priority: int | None) -> Statement:
    """What an end says of PFC."""
    found = "pauses nothing" if priority is None else f"pauses priority {priority}"
    treatment = end.treatment
    usual = min(treatment.pauses, default=0) if treatment is not None else 0
    setting = Setting("pause", priority=usual if priority is None else priority)
    return end.says(found, setting, "roce_qos_classes: " + ("none lossless" if priority is None else "lossless"))


def _marks(cable: Cable) -> Iterator[Broken]:
    """The class of RDMA is marked at both ends, or at neither; of a host: it slows down when it was."""
    lower, upper = (end.treatment for end in cable.ends)
    if lower is None or upper is None:
        return
    is_host = cable.lower.ports is None
    points = (cable.rdma.dscp,) if cable.rdma is not None and is_host else sorted({*lower.classes})
    for point in points:
        for end in cable.ends:
            if end.treatment is not None and end.treatment.classes[point] in end.treatment.void_marks:
                yield Broken(str(cable), "thresholds mark no packet, or all of them", (_mark(end, point),))
        is_open = any(_may_mark(end, point) for end in cable.ends)
        if (lower.classes[point] in lower.marks) is not (upper.classes[point] in upper.marks) and not is_open:
            what = f"packets with DSCP {point} are marked at one end alone"
            if is_host:
                what = (
                    f"packets with DSCP {point}: the switch marks them and the host does not slow down, or the reverse"
                )
            yield Broken(str(cable), what, tuple(_mark(end, point) for end in cable.ends))


def _may_mark(end: End, point: int) -> bool:
    """Is there a line about marks of this class that is not known?"""
    if end.ports is None or end.treatment is None:
        return False
    profile = end.ports.profile_of(end.at.port) or ""
    number = end.treatment.queues[point]
    return bool(end.doubts) and end.ports.has_unread(Setting("marks", end.at.port, profile, number))


def _mark(end: End, point: int) -> Statement:
    treatment = end.treatment
    is_on = treatment is not None and treatment.classes[point] in treatment.marks
    number = treatment.queues[point] if treatment is not None else 0
    found = "ECN off"
    if is_on:
        queue = queue_of(end.ports, end.at.port, point) if end.ports is not None else None
        ecn = queue.ecn if queue is not None else None
        found = f"ECN {ecn.min_bytes} to {ecn.max_bytes} B, {ecn.probability_percent} %" if ecn else "ECN on"
    return end.says(found, Setting("marks", number=number), f"roce_qos_ecn = {is_on}")


def _order(cable: Cable) -> Iterator[Broken]:
    """Classes that go first at one end go first at the other; notifications come back before data."""
    lower, upper = (end.treatment for end in cable.ends)
    if lower is None or upper is None:
        return
    for point in sorted({*lower.classes}, key=_by_interest(cable.rdma).index):
        if (lower.classes[point] in lower.strict) is not (upper.classes[point] in upper.strict):
            name = "notifications" if cable.rdma is not None and _is_of(lower, point, cable.rdma) else "packets"
            what = f"{name} with DSCP {point} go first at one end alone"
            yield Broken(str(cable), what, tuple(_strict(end, point) for end in cable.ends))


def _is_of(treatment: Treatment, point: int, rdma: Rdma) -> bool:
    return treatment.classes[rdma.cnp_dscp] == treatment.classes[point]


def _strict(end: End, point: int) -> Statement:
    treatment = end.treatment
    is_on = treatment is not None and treatment.classes[point] in treatment.strict
    number = treatment.queues[point] if treatment is not None else 0
    found = "strict" if is_on else "by share"
    return end.says(found, Setting("strict", number=number), f"roce_qos_classes: DSCP {point} strict = {is_on}")

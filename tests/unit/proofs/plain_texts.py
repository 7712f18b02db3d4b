"""What rendered files and host variables say about lossless traffic, read row by row.

It shares nothing with the product: no parser, no model, no proof. What an OS does without a line is written down here
once more, from the manuals.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

POINTS = range(64)
Rows = list[tuple[tuple[str, ...], str]]
"""(lines above, line) of each row."""


@dataclass
class Port:
    """One end of a cable. Classes are called by all their code points."""

    company: tuple[frozenset[int], ...] = ()
    """Code point -> all of its class."""
    priority: tuple[int, ...] = ()
    queue: tuple[int, ...] = ()
    described: frozenset[int] = frozenset()
    """Queues that have lines."""
    strict: frozenset[int] = frozenset()
    marks: frozenset[int] = frozenset()
    """Queues that mark, with thresholds that have an effect."""
    pauses: frozenset[int] = frozenset()
    is_sorted: bool = True
    """By DSCP."""
    is_watched: bool = True
    mtu: int | None = None
    class_mtu: int | None = None
    """The least of any class."""
    is_up: bool = True
    speed: str | None = None
    fec: str | None = None
    negotiates: bool | None = None
    is_clear: bool = True
    """No line stands where it has no effect or is half of something."""


@dataclass
class Classes:
    """Of a whole switch."""

    priority: list[int]
    queue_of: dict[int, int] = field(default_factory=dict)

    def port(self, **values: Any) -> Port:
        members: dict[int, set[int]] = {}
        for point in POINTS:
            members.setdefault(self.priority[point], set()).add(point)
        return Port(
            company=tuple(frozenset(members[self.priority[point]]) for point in POINTS),
            priority=tuple(self.priority),
            queue=tuple(self.queue_of.get(each, each) for each in self.priority),
            **values,
        )


def rows(text: str) -> Rows:
    """Every row with what it is below, by its blanks."""
    found: Rows = []
    above: list[tuple[int, str]] = []
    for row in text.splitlines():
        line = row.strip()
        if not line or line[0] in "!#":
            continue
        depth = len(row) - len(row.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        found.append((tuple(each for _, each in above), line))
        above.append((depth, line))
    return found


def below(found: Rows, head: str) -> dict[str, list[str]]:
    """Name -> lines directly below ``head NAME``."""
    blocks: dict[str, list[str]] = {}
    for above, line in found:
        if not above and line.startswith(head):
            blocks.setdefault(line.removeprefix(head), [])
        if len(above) == 1 and above[0].startswith(head):
            blocks.setdefault(above[0].removeprefix(head), []).append(line)
    return blocks


def value(lines: Iterable[str], pattern: str) -> str | None:
    found = [match[1] for each in lines if (match := re.fullmatch(pattern, each))]
    return found[-1] if found else None


# -- EOS -----------------------------------------------------------------------------------------------------------

_EOS_MARKS = (
    r"random-detect ecn minimum-threshold (\d+) bytes maximum-threshold (\d+) bytes max-mark-probability (\d+).*"
)
_EOS_TIMES = ("timeout", "recovery-time", "polling-interval")


def eos(text: str) -> dict[str, Port]:
    found = rows(text)
    top = [line for above, line in found if not above]
    # um-eos: code points 0-7 are in class 1, 8-15 in class 0, each other eight in the class of their number
    priority = [{0: 1, 1: 0}.get(point // 8, point // 8) for point in POINTS]
    classes = Classes(priority)
    for line in top:
        if match := re.fullmatch(r"qos map dscp ([\d ]+) to traffic-class (\d)", line):
            for point in map(int, match[1].split()):
                if point in POINTS:
                    priority[point] = int(match[2])
        if match := re.fullmatch(r"qos map traffic-class (\d) to tx-queue (\d)", line):
            classes.queue_of[int(match[1])] = int(match[2])
    times = [
        any(line.startswith(f"priority-flow-control pause watchdog default {each} ") for line in top)
        for each in _EOS_TIMES
    ]
    guarded = all(times) and "priority-flow-control pause watchdog action drop" in top
    profiles = {name: _eos_profile(found, name, lines) for name, lines in below(found, "qos profile ").items()}
    ports = {}
    for name, lines in below(found, "interface ").items():
        own = profiles.get(value(lines, r"service-profile (\S+)") or "")
        port = classes.port(**own) if own else Port(is_sorted=False)
        port.mtu = int(value(lines, r"mtu (\d+)") or 1500)
        port.is_up = "shutdown" not in lines
        port.is_clear = "no switchport" in lines and (guarded or not (own or {}).get("is_watched"))
        speed = value(lines, r"speed (?:auto )?(\d+g)\S*")
        port.speed = speed and speed.upper()
        port.fec = {"reed-solomon": "rs", "fire-code": "fc"}.get(value(lines, r"error-correction encoding (\S+)") or "")
        if "no error-correction encoding" in lines:
            port.fec = "none"
        port.negotiates = None if speed is None else any(line.startswith("speed auto ") for line in lines)
        if any(re.fullmatch(r"flowcontrol (send|receive) on", line) for line in lines):
            port.pauses = frozenset({-1})
        ports[name] = port
    return ports


def _eos_profile(found: Rows, name: str, lines: list[str]) -> dict[str, Any]:
    is_on = "priority-flow-control on" in lines
    queues: dict[int, list[str]] = {}
    for above, line in found:
        if len(above) == 1 and above[0] == f"qos profile {name}" and (match := re.fullmatch(r"uc-tx-queue (\d)", line)):
            queues.setdefault(int(match[1]), [])
        if (
            len(above) == 2
            and above[0] == f"qos profile {name}"
            and (match := re.fullmatch(r"uc-tx-queue (\d)", above[1]))
        ):
            queues.setdefault(int(match[1]), []).append(line)
    paused = {
        int(match[1]) for each in lines if (match := re.fullmatch(r"priority-flow-control priority (\d) no-drop", each))
    }
    return {
        "described": frozenset(queues),
        "strict": frozenset(number for number, each in queues.items() if "no priority" not in each),
        "marks": frozenset(number for number, each in queues.items() if _eos_marks(each)),
        "pauses": frozenset(paused if is_on else ()),
        "is_sorted": "qos trust dscp" in lines,
        "is_watched": "priority-flow-control pause watchdog" in lines,
    }


def _eos_marks(lines: list[str]) -> bool:
    found = next((match for each in lines if (match := re.fullmatch(_EOS_MARKS, each))), None)
    return found is not None and 0 < int(found[1]) < int(found[2]) and 0 < int(found[3]) <= 100


# -- NX-OS ---------------------------------------------------------------------------------------------------------

_NXOS_MARKS = (
    r"random-detect minimum-threshold (\d+) kbytes maximum-threshold (\d+) kbytes drop-probability (\d+) weight \d+ ecn"
)


def _listed(text: str) -> set[int]:
    """``0-7,26`` as numbers."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def nxos(text: str) -> dict[str, Port]:
    found = rows(text)
    top = [line for above, line in found if not above]
    points = {
        name.removeprefix("match-any "): _listed(value(lines, r"match dscp (\S+)") or "99")
        for name, lines in below(found, "class-map type qos ").items()
    }
    attached = below(found, "system qos").get("", [])
    network = _below_class(found, "policy-map type network-qos ", "class type network-qos c-8q-nq", "GPUFABRIC-NETWORK")
    has_network = "service-policy type network-qos GPUFABRIC-NETWORK" in attached
    paused = {
        _number(suffix)
        for suffix, lines in network.items()
        if has_network and value(lines, r"pause pfc-cos (\d)") == str(_number(suffix))
    }
    mtus = {
        _number(suffix): int(value(lines, r"mtu (\d+)") or 1500) for suffix, lines in network.items() if has_network
    }
    has_queuing = "service-policy type queuing output GPUFABRIC-EGRESS" in attached
    ports = {}
    for name, lines in below(found, "interface ").items():
        policy = value(lines, r"service-policy type qos input (\S+)")
        own = value(lines, r"service-policy type queuing output (\S+)") or ("GPUFABRIC-EGRESS" if has_queuing else "")
        classes, is_whole = _nxos_classes(found, policy, points)
        queues = _below_class(found, "policy-map type queuing ", "class type queuing c-out-8q-q", own)
        port = classes.port(
            described=frozenset(_number(each) for each, under in queues.items() if _serves(under)),
            strict=frozenset(_number(each) for each, under in queues.items() if "priority level 1" in under),
            marks=frozenset(_number(each) for each, under in queues.items() if _nxos_marks(under)),
            pauses=frozenset(paused if "priority-flow-control mode on" in lines else ()),
            is_sorted=policy is not None and is_whole,
            is_watched={"priority-flow-control watch-dog-interval on"} <= {*lines} & {*top},
        )
        port.mtu = int(value(lines, r"mtu (\d+)") or 1500)
        port.class_mtu = min(mtus.get(group, 1500) for group in {0, *classes.priority})
        port.is_up = "no shutdown" in lines
        speed = value(lines, r"speed (\d+)")
        port.speed = f"{int(speed) // 1000}G" if speed and int(speed) % 1000 == 0 else None
        fec = value(lines, r"fec (\S+)") or ""
        port.fec = {"rs-fec": "rs", "rs-ieee": "rs", "fc-fec": "fc", "off": "none"}.get(fec)
        port.negotiates = "no negotiate auto" not in lines
        port.is_clear = "no switchport" in lines and (speed is None or port.speed is not None)
        if any(re.fullmatch(r"flowcontrol (send|receive) on", line) for line in lines):
            port.pauses = frozenset({-1})
        ports[name] = port
    return ports


def _number(suffix: str) -> int:
    return 0 if suffix == "-default" else int(suffix)


def _serves(lines: list[str]) -> bool:
    weight = value(lines, r"bandwidth remaining percent (\d+)")
    return "priority level 1" in lines or _nxos_marks(lines) or bool(weight and int(weight))


def _nxos_marks(lines: list[str]) -> bool:
    found = next((match for each in lines if (match := re.fullmatch(_NXOS_MARKS, each))), None)
    return found is not None and 0 < int(found[1]) < int(found[2]) and 0 < int(found[3]) <= 100


def _below_class(found: Rows, head: str, of_class: str, policy: str) -> dict[str, list[str]]:
    """Suffix of a class -> its lines, in one policy."""
    classes: dict[str, list[str]] = {}
    for above, line in found:
        if above[:1] == (f"{head}{policy}",) and len(above) == 1 and line.startswith(of_class):
            classes.setdefault(line.removeprefix(of_class), [])
        if above[:1] == (f"{head}{policy}",) and len(above) == 2 and above[1].startswith(of_class):
            classes.setdefault(above[1].removeprefix(of_class), []).append(line)
    return classes


def _nxos_classes(found: Rows, policy: str | None, points: dict[str, set[int]]) -> tuple[Classes, bool]:
    """The first class of the policy that matches takes a packet; each goes to the qos-group of its own number."""
    priority = [0] * 64
    taken: set[int] = set()
    whole = True
    used = set()
    for name, lines in _below_class(found, "policy-map type qos ", "class ", policy or "").items():
        group = int(value(lines, r"set qos-group (\d)") or 0)
        whole = whole and value(lines, r"set qos-group (\d)") is not None
        own = set(POINTS) if name == "class-default" else points.get(name, set())
        used.add(name)
        for point in own - taken:
            if point in POINTS:
                priority[point] = group
        taken |= own
    return Classes(priority), whole and "class-default" in used and {*points} <= used


# -- NVUE ----------------------------------------------------------------------------------------------------------


def nvue(text: str) -> dict[str, Port]:
    data = yaml.load(text, Loader=yaml.CSafeLoader)
    qos = data.get("qos") or {}
    on = ("enabled", "on")
    is_roce = (qos.get("roce") or {}).get("mode") in ("lossless", "lossy") and bool(
        {*on} & {*map(str, (qos.get("roce") or {}).values())}
    )
    at = "default-global"
    mapping = (qos.get("mapping") or {}).get(at) or {}
    # CL 5.14, RoCE: code points go by eights, 24-31 to priority 3 and 48-55 to 6; every other one of these has queue 0
    priority = [point // 8 for point in POINTS]
    for point, each in (mapping.get("dscp") or {}).items():
        if int(point) in POINTS and (each or {}).get("switch-priority") is not None:
            priority[int(point)] = each["switch-priority"]
    queue_of = {each: each if each in (3, 6) else 0 for each in range(8)}
    for number, each in (((qos.get("egress-queue-mapping") or {}).get(at) or {}).get("switch-priority") or {}).items():
        if (each or {}).get("traffic-class") is not None:
            queue_of[int(number)] = each["traffic-class"]
    pfc = (qos.get("pfc") or {}).get(at) or {}
    is_off = "disable" in (pfc.get("rx"), pfc.get("tx"))
    paused = {int(each) for each in pfc.get("switch-priority") or {"3": {}}}
    scheduled = ((qos.get("egress-scheduler") or {}).get(at) or {}).get("traffic-class") or {}
    # traffic classes of RoCE itself: 0 and 3 share and mark, 6 goes first
    modes = {0: "dwrr", 3: "dwrr", 6: "strict"} | {
        int(n): (e or {}).get("mode") or ("strict" if int(n) == 6 else "dwrr") for n, e in scheduled.items()
    }
    marked = ((qos.get("congestion-control") or {}).get(at) or {}).get("traffic-class") or {}
    marks = {0, 3}
    for number, each in marked.items():
        own = each or {}
        least, most = own.get("min-threshold", 150_000), own.get("max-threshold", 1_500_000)
        is_on = own.get("ecn", "enable" if int(number) in (0, 3) else "disable") == "enable"
        valid = 0 < least < most and 0 < own.get("probability", 100) <= 100
        (marks.add if is_on and valid else marks.discard)(int(number))
    ports = {}
    for name, each in (data.get("interface") or {}).items():
        own = each or {}
        link = own.get("link") or {}
        port = Classes(priority, queue_of).port(
            described=frozenset(range(8)),
            strict=frozenset(number for number, mode in modes.items() if mode == "strict"),
            marks=frozenset(marks),
            pauses=frozenset(paused if is_roce and not is_off else ()),
            is_sorted=is_roce and mapping.get("trust", "both") in ("l3", "both"),
            is_watched=((own.get("qos") or {}).get("pfc-watchdog") or {}).get("state") == "enable",
        )
        port.mtu = link.get("mtu", 9216)
        port.is_clear = (qos.get("roce") or {}).get("mode") != "lossy"  # what its pfc lines do then nobody says
        port.is_up = "down" not in (link.get("state") or {})
        port.speed, port.fec = link.get("speed"), {"rs": "rs", "baser": "fc", "off": "none"}.get(str(link.get("fec")))
        port.negotiates = {"enabled": True, "on": True, "disabled": False, "off": False}.get(
            str(link.get("auto-negotiate"))
        )
        ports[name] = port
    return ports


def spreads_packets(os: str, text: str) -> bool:
    """Does the switch send each packet by a path of its own?"""
    if os == "nvue":
        data = yaml.load(text, Loader=yaml.CSafeLoader)
        places = (
            (data.get("router") or {}),
            *((each or {}).get("router") or {} for each in data["interface"].values()),
        )
        switch, *ports = [{*map(str, (each.get("adaptive-routing") or {}).values())} for each in places]
        return bool(switch & {"enabled", "on"}) and any(each & {"enabled", "on"} for each in ports)
    below = [line for above, line in rows(text) if above == ("hardware profile dlb",)]
    return "mode per-packet" in below and any(line.startswith("dlb-interface ") for line in below)


READERS = {"eos": eos, "nxos": nxos, "nvue": nvue}


# -- hosts ---------------------------------------------------------------------------------------------------------


def host(variables: Mapping[str, Any]) -> Port:
    priority = [-1] * 64
    for each in variables["roce_qos_classes"]:
        for point in each["dscp"]:
            priority[point] = each["priority"]
    classes = Classes(priority)
    lossless = any(each["lossless"] for each in variables["roce_qos_classes"])
    strict = {each["priority"] for each in variables["roce_qos_classes"] if each["strict"]}
    return classes.port(
        described=frozenset(range(-1, 8)),
        strict=frozenset(strict),
        marks=frozenset({variables["roce_qos_priority"]} if variables["roce_qos_ecn"] else ()),
        pauses=frozenset({variables["roce_qos_priority"]} if lossless else ()),
    )

"""NVUE QoS parsed: RoCE's own defaults, overridden by the configuration; and profiles of single ports."""

from collections.abc import Mapping

from nornir_tasks.design.config.qos import Ecn, PortProfile, Qos, Queue, TrafficClass, Watchdog
from nornir_tasks.design.model.claims import THE_SWITCH
from nornir_tasks.platforms.nvue.capabilities import PROFILE, NvueCapabilities, RoceDefaults
from nornir_tasks.platforms.nvue.reading import Data, drop_if_empty, entries, look, take_empty, take_int, take_word

_CODE_POINTS = range(64)
_OF_PORTS = ("egress-scheduler", "congestion-control", "pfc")
"""Kinds of settings for which a port may have a profile of its own, as this project uses them."""


def parse_qos(
    data: Data, capabilities: NvueCapabilities, watched: frozenset[str]
) -> tuple[Qos | None, Mapping[str, str]]:
    """The section, and the ports with a profile other than the default. ``watched``: ports with a watchdog.

    None if RoCE is off: then no part of ``qos`` is ours to parse.
    """
    lossless = _take_mode(data, capabilities)
    if lossless is None:
        return None, {}
    roce, own = capabilities.roce, _ports_with_own(data)
    pfc = _pfc(data, roce) if lossless else ()
    take_word(data, "l3", "qos", "mapping", PROFILE, "trust")
    classes = _classes(data, roce, pfc)
    queues = frozenset(each.queue for each in classes)
    described = {name for name, _ in entries(data, "qos", "egress-scheduler") if name.startswith(THE_SWITCH.prefix)}
    names = (PROFILE, *sorted(described | set(own.values())))
    profiles = tuple(
        PortProfile(
            name=name,
            pfc_priorities=() if name != PROFILE and _takes_no_pauses(data, name) else pfc,
            watchdog=any(own.get(port, PROFILE) == name for port in watched),
            queues=_queues(data, roce, name, queues),
        )
        for name in names
    )
    guard = _watchdog(data, capabilities, watched=bool(watched))
    cable_m = take_int(data, "qos", "pfc", PROFILE, "cable-length") if lossless else None
    memory = _lossless_memory(data) if lossless else None
    return Qos(classes, profiles, guard, None, cable_m=cable_m, lossless_memory_percent=memory), own


def _lossless_memory(data: Data) -> int | None:
    """Its share, where both pools have all of it together; anything else stays in the data."""
    pools = [("qos", "traffic-pool", name, "memory-percent") for name in ("default-lossy", "roce-lossless")]
    shares = [look(data, *each) for each in pools]
    if not all(isinstance(each, int) for each in shares) or sum(shares) != 100:
        return None
    take_int(data, *pools[0])
    return take_int(data, *pools[1])


def _ports_with_own(data: Data) -> dict[str, str]:
    """Port -> its profile, with one name for all kinds of settings; a port with only some of them is not ours."""
    found: dict[str, str] = {}
    for port, _ in entries(data, "interface"):
        name = look(data, "interface", port, "qos", "egress-scheduler", "profile")
        if not isinstance(name, str) or not name.startswith(THE_SWITCH.prefix):
            continue
        kinds = _OF_PORTS if look(data, "qos", "pfc", name) is not None else _OF_PORTS[:2]
        at = [("interface", port, "qos", kind, "profile") for kind in _OF_PORTS]
        if [look(data, *each) for each in at] == [name if kind in kinds else None for kind in _OF_PORTS]:
            for each in at[: len(kinds)]:
                take_word(data, name, *each)
            found[port] = name
    return found


def _takes_no_pauses(data: Data, name: str) -> bool:
    """PFC off in both directions, without priorities; anything else stays in the data."""
    at = ("qos", "pfc", name)
    if look(data, *at) != {"rx": "disable", "tx": "disable"}:
        return False
    return take_word(data, "disable", *at, "rx") and take_word(data, "disable", *at, "tx")


def _take_mode(data: Data, capabilities: NvueCapabilities) -> bool | None:
    """Is the profile lossless? None: RoCE is off, or its mode is unknown."""
    spelling = capabilities.spelling
    mode = look(data, "qos", "roce", "mode")
    if look(data, "qos", "roce", spelling.switch) != spelling.on or mode not in ("lossless", "lossy"):
        return None
    take_word(data, spelling.on, "qos", "roce", spelling.switch)
    take_word(data, mode, "qos", "roce", "mode")
    return bool(mode == "lossless")


def _pfc(data: Data, roce: RoceDefaults) -> tuple[int, ...]:
    """Priorities that PFC pauses in both directions."""
    at = ("qos", "pfc", PROFILE)
    named = [key for key, _ in entries(data, *at, "switch-priority") if key.isdecimal()]
    priorities = tuple(sorted(int(key) for key in named if take_empty(data, *at, "switch-priority", key)))
    for direction in ("rx", "tx"):
        take_word(data, "enable", *at, direction)
    is_off = "disable" in (look(data, *at, "rx"), look(data, *at, "tx"))
    return () if is_off else priorities or (roce.lossless_priority,)


def _classes(data: Data, roce: RoceDefaults, pfc: tuple[int, ...]) -> tuple[TrafficClass, ...]:
    members: dict[int, list[int]] = {}
    table = look(data, "qos", "mapping", PROFILE, "dscp") or {}
    for dscp in _CODE_POINTS:
        set_to = take_int(table, str(dscp), "switch-priority")
        members.setdefault(roce.priority_of_dscp(dscp) if set_to is None else set_to, []).append(dscp)
    drop_if_empty(data, "qos", "mapping", PROFILE, "dscp")
    return tuple(
        TrafficClass(priority, tuple(dscp), _queue_of(data, roce, priority), lossless=priority in pfc)
        for priority, dscp in sorted(members.items())
    )


def _queue_of(data: Data, roce: RoceDefaults, priority: int) -> int:
    at = ("qos", "egress-queue-mapping", PROFILE, "switch-priority", str(priority), "traffic-class")
    set_to = take_int(data, *at)
    return roce.queue_of_priority[priority] if set_to is None else set_to


def _queues(data: Data, roce: RoceDefaults, profile: str, used: frozenset[int]) -> tuple[Queue, ...]:
    """Queues of the classes, others with scheduling, and those of no class that RoCE itself lets mark."""
    named = [key for key, _ in entries(data, "qos", "egress-scheduler", profile, "traffic-class")]
    known = used | {int(key) for key in named if key.isdecimal()}
    unused = roce.ecn_queues - known if profile == PROFILE else frozenset()
    at = ("qos", "congestion-control", profile, "traffic-class")
    marking = {number for number in unused if not take_word(data, "disable", *at, str(number), "ecn")}
    return tuple(_queue(data, roce, profile, number) for number in sorted(known | marking))


def _queue(data: Data, roce: RoceDefaults, profile: str, number: int) -> Queue:
    at = ("qos", "egress-scheduler", profile, "traffic-class", str(number))
    is_dwrr = take_word(data, "dwrr", *at, "mode")
    strict = take_word(data, "strict", *at, "mode") or (not is_dwrr and number in roce.strict_queues)
    weight = None
    if not strict:
        set_to = take_int(data, *at, "bw-percent")
        weight = roce.weight_percent if set_to is None else set_to
    drop_if_empty(data, *at)
    return Queue(number, strict, weight, _ecn(data, roce, profile, number))


def _ecn(data: Data, roce: RoceDefaults, profile: str, number: int) -> Ecn | None:
    at = ("qos", "congestion-control", profile, "traffic-class", str(number))
    if take_word(data, "disable", *at, "ecn"):
        return None
    if not take_word(data, "enable", *at, "ecn") and number not in roce.ecn_queues:
        return None
    minimum, maximum = take_int(data, *at, "min-threshold"), take_int(data, *at, "max-threshold")
    probability = take_int(data, *at, "probability")
    return Ecn(
        roce.ecn.min_bytes if minimum is None else minimum,
        roce.ecn.max_bytes if maximum is None else maximum,
        roce.ecn.probability_percent if probability is None else probability,
    )


def _watchdog(data: Data, capabilities: NvueCapabilities, *, watched: bool) -> Watchdog | None:
    default = capabilities.watchdog
    poll_ms = take_int(data, "qos", "pfc-watchdog", "polling-interval")
    polls = take_int(data, "qos", "pfc-watchdog", "robustness")
    if poll_ms is None and polls is None and not watched:
        return None
    poll_ms = default.poll_ms if poll_ms is None else poll_ms
    polls = default.detect_ms // default.poll_ms if polls is None else polls
    # one poll without a pause ends the mitigation, so the restore time follows the polling time
    return Watchdog(poll_ms, poll_ms * polls, restore_ms=poll_ms)

"""A refusal of cables names what can be built instead: whoever follows it is not refused again."""

import copy
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

KINDS = (
    {"platform": "nvue", "release": "5.14", "model": "SN5600"},
    {"platform": "eos", "release": "4.33.1F", "model": "7060X6-64PE"},
    {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"},
    {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C9364D-GX2A"},
)
FACTS = {name: each.facts for name, each in platforms().items()}
MEDIA = ("DAC", "AOC", "SR4", "SR8", "VR4", "DR4", "DR8", "FR4", "LR4", "2xSR4", "2xDR4", "2xFR4")
LENGTHS = (1, 4, 30, 50, 51, 60, 100, 101, 400, 500, 501, 1999, 2001, 9000)
OF_HEADROOM = "no source has headroom"
OF_CABLES = re.compile(
    r"fabrics\.compute\.(leaf|spine)\.(medium|cable_m): |.* both ends of these cables would be splitters"
)

Change = tuple[tuple[str, str, Any], ...]
"""(Tier, key, value), each; None removes the key."""


@st.composite
def sites(draw: st.DrawFn) -> dict[str, Any]:
    """A few hosts on large switches, so that nothing but cables is refused."""
    leaf, spine = dict(draw(st.sampled_from(KINDS))), dict(draw(st.sampled_from(KINDS)))
    models = load_catalogue().switches
    nic_gbps, up_gbps = draw(st.sampled_from((100, 200, 400))), draw(st.sampled_from((200, 400)))

    def split(tier: dict[str, Any], key: str, gbps: int) -> None:
        ways = [each for each in models[tier["model"]].splits if each.endswith(f"x{gbps}G") and each[0] != "1"]
        chosen = draw(st.sampled_from((None, *ways)))
        tier |= {} if chosen is None else {key: chosen}

    split(leaf, "breakout", nic_gbps)
    split(leaf, "uplink_breakout", up_gbps)
    split(spine, "breakout", up_gbps)
    for tier in (leaf, spine):
        tier |= {"medium": draw(st.sampled_from(MEDIA)), "cable_m": draw(st.sampled_from(LENGTHS))}
        tier["spare_legs"] = "shut"
    spine |= {"uplink_speed": f"{up_gbps}G", "oversubscription": 1}
    nics: dict[str, Any] = {"rails": 1, "speed": f"{nic_gbps}G", "per_group": 2}
    nics |= {"model": "ConnectX-7"} if draw(st.booleans()) else {}
    return site(hosts={"count": 2, "max": 2}, nics=nics, leaf=leaf, spine=spine)


def built(data: dict[str, Any]) -> Network:
    return design(intent_of(data), load_catalogue(), FACTS)


def tier_of(problem: Problem) -> str:
    return "leaf" if "fabrics.compute.leaf" in problem.what else "spine"


def changes(problem: Problem) -> Iterator[Change]:
    """Every way that the hint names."""
    tier, hint = tier_of(problem), problem.hint
    named = r"(medium: \w+(?: or medium: \w+)*)(, without leaf\.uplink_breakout)?"
    for media, whole in re.findall(named, hint):
        for medium in re.findall(r"medium: (\w+)", media):
            also: Change = (("leaf", "uplink_breakout", None),) if whole else ()
            yield ((tier, "medium", medium), *also)
    for metres in re.findall(r"cable_m: (\d+)", hint):
        yield ((tier, "cable_m", int(metres)),)
    for media in re.findall(r"what would do(?: over \d+ m)?: (\w+(?:, \w+)*)", hint):
        yield from (((tier, "medium", each),) for each in media.split(", "))
    if "or AEC or AOC" in hint:
        yield from (((tier, "medium", each),) for each in ("AEC", "AOC"))
    for split in re.findall(r"(\d+x\d+G) at both ends", hint):
        speed = split.partition("x")[2]
        yield (("leaf", "uplink_breakout", split), ("spine", "breakout", split), ("spine", "uplink_speed", speed))


def followed(data: dict[str, Any], several: tuple[Change, ...]) -> dict[str, Any]:
    data = copy.deepcopy(data)
    for tier, key, value in (each for change in several for each in change):
        part = data["fabrics"]["compute"][tier]
        part[key] = value
        if value is None:
            del part[key]
    return data


@settings(max_examples=150, deadline=None)
@given(sites())
def test_whoever_follows_a_hint_about_cables_is_not_refused_again(data: dict[str, Any]) -> None:
    try:
        built(data)
    except DesignError as refusal:
        problems = refusal.problems
    else:
        assume(False)
        return
    assume(all(OF_CABLES.match(each.what) for each in problems))
    ways: dict[str, list[Change]] = {}
    for each in problems:
        ways.setdefault(tier_of(each), []).extend(changes(each))
    for tier, several in ways.items():
        others = tuple(there[0] for other, there in ways.items() if other != tier and there)
        if len(others) < len(ways) - 1:
            continue  # nothing is named for the other tier, so its refusal stays
        for way in dict.fromkeys(several):
            event(f"{tier}, {way[0][1]}")
            try:
                built(followed(data, (way, *others)))
            except DesignError as again:
                if all(OF_HEADROOM in each.what for each in again.problems):
                    continue  # a length is held against headroom once media go so far: another way, or fewer metres
                raise AssertionError(f"{in_words(problems)}\nafter {way}, {others}:\n{again}") from None


def in_words(problems: tuple[Problem, ...]) -> str:
    return "\n".join(f"{each.what}: {each.found}; hint: {each.hint}" for each in problems)

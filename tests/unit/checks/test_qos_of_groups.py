"""QoS of link aggregation groups: judged where the system shows it, at the group or at its members."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.switches.qos import check_qos
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.observed import Observed, PortQos
from nornir_tasks.usecases.validate import far_ends
from tests.unit.design.front_full import DEVICES, network, realised

AT_GROUP = {"nxos": {"trust", "ecn"}, "eos": set(), "nvue": set()}
"""What each system's groups show by themselves; all else of their ports is the members'."""
EVERY = {"trust", "pfc", "watchdog", "ecn"}
SYSTEMS = pytest.mark.parametrize("os", DEVICES)


def shown(config: DeviceConfig) -> tuple[PortQos, ...]:
    """What a switch shows that runs what is wanted: of a port whose policies are its group's, nothing of these."""
    assert config.qos is not None
    on_groups = [each.name for each in config.interfaces if each.lag is not None and each.qos_profile is not None]
    groups = {*on_groups} if AT_GROUP[config.os] else set()
    profiles = {each.name: each for each in config.qos.profiles}
    found = []
    for port in config.interfaces:
        if port.qos_profile is not None:
            profile = profiles[port.qos_profile]
            marks = tuple((each.number, each.ecn) for each in profile.queues if each.ecn is not None)
            whole = PortQos(port.name, True, profile.pfc_priorities, profile.watchdog, marks)
            if port.lag is not None and not groups:
                continue  # its members show it
            if port.lag is not None:
                whole = replace(whole, pfc_priorities=None, watchdog=None)
            elif port.member is not None and port.member.group in groups:
                whole = replace(whole, trust_dscp=False, ecn=((7, None),))  # type: ignore[arg-type]
            found.append(whole)
    return tuple(found)


@cache
def evidence(os: str, gone: str = "") -> Evidence:
    """A leaf as wanted; of the port that is gone it shows neither trust nor pauses."""
    config = realised(DEVICES[os]).config
    assert config.qos is not None
    by_code = {code: each.priority for each in config.qos.classes for code in each.dscp}
    qos = tuple(
        replace(each, trust_dscp=False, pfc_priorities=(5,)) if each.port == gone else each for each in shown(config)
    )
    seen = Observed(config.name, (), (), (), (), qos, tuple(by_code[code] for code in range(64)))
    return Evidence(
        network=network(),
        wanted={config.name: config},
        running={config.name: config},
        changes={config.name: ()},
        observed={config.name: seen},
        far=far_ends(network()),
        unreachable={},
    )


def found_of(os: str, gone: str = "") -> list[Finding]:
    return [each for each in check_qos(evidence(os, gone)) if each.port]


@SYSTEMS
def test_a_leaf_with_groups_that_runs_what_is_wanted_raises_no_alarm(os: str) -> None:
    found = found_of(os)
    assert {each.verdict for each in found} == {Verdict.PASS}


@SYSTEMS
def test_every_setting_of_a_members_port_is_judged_once_there_or_at_its_group(os: str) -> None:
    judged = Counter((each.port, each.check) for each in found_of(os))
    assert set(judged.values()) == {1}
    for port in realised(DEVICES[os]).config.interfaces:
        if port.member is not None:
            here = {check for name, check in judged if name == port.name}
            group = {check for name, check in judged if name == port.member.group}
            assert (here, group) == (EVERY - AT_GROUP[os], AT_GROUP[os])


@SYSTEMS
def test_a_wrong_setting_is_named_where_it_stands(os: str) -> None:
    config = realised(DEVICES[os]).config
    member = next(each for each in config.interfaces if each.member is not None)
    assert member.member is not None
    wrong = {
        (each.port, each.check)
        for name in (member.name, member.member.group)
        for each in found_of(os, name)
        if each.verdict is Verdict.FAIL
    }
    at = member.member.group if "trust" in AT_GROUP[os] else member.name
    assert wrong == {(at, "trust"), (member.name, "pfc")}

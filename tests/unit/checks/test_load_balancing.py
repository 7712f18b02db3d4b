"""Load balancing as the switches show it: each field, changed, is caught, and nothing is taken on trust."""

from dataclasses import replace
from typing import Any

import pytest
from lab_evidence import clean, fabric_port, unlike

from nornir_tasks.checks.evidence import Evidence, Verdict
from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.balancing import check_balancing
from nornir_tasks.design.config.load_balancing import LoadBalancing
from nornir_tasks.platforms.observed import PathState

EOS, NXOS, NVUE = "leaf-g1-r0", "leaf-g1-r1", "spine-1"
PORTS = {name: tuple(sorted(port for (device, port), far in clean().far.items() if device == name and not far.is_host))
         for name in (EOS, NXOS, NVUE)}  # fmt: skip
WANTED = {
    EOS: LoadBalancing("flowlet", None, 4),
    NXOS: LoadBalancing("flowlet", PORTS[NXOS], None),
    NVUE: LoadBalancing("per_packet", PORTS[NVUE], None),
}
SHOWN = {
    EOS: PathState(None, None),
    NXOS: PathState(None, None, needs_reload=True, waits_for_reload=()),
    NVUE: PathState("per_packet", PORTS[NVUE]),
}


def balanced() -> Evidence:
    """The lab with one switch of each system that balances, all as asked for."""
    evidence = clean()
    configs = {
        name: replace(config, load_balancing=WANTED[name]) if name in WANTED else config
        for name, config in evidence.wanted.items()
    }
    observed = {
        name: replace(each, paths=SHOWN[name]) if name in SHOWN else each for name, each in evidence.observed.items()
    }
    return replace(evidence, wanted=configs, running=dict(configs), observed=observed)


def shown(device: str, **changes: Any) -> Evidence:
    """One switch shows something else."""
    evidence = balanced()
    seen = evidence.observed[device]
    changed = replace(seen, paths=replace(seen.paths, **changes))
    return replace(evidence, observed={**evidence.observed, device: changed})


def running(device: str, configured: LoadBalancing | None) -> Evidence:
    """One switch is configured otherwise."""
    evidence = balanced()
    config = replace(evidence.running[device], load_balancing=configured)
    return replace(evidence, running={**evidence.running, device: config})


def test_switches_that_balance_as_asked_for_pass_and_each_port_was_looked_at() -> None:
    findings = check_balancing(balanced())
    assert {each.verdict for each in findings} == {Verdict.PASS}
    assert {each.port for each in findings if each.device == NVUE and each.port} == set(PORTS[NVUE])
    assert [each.device for each in findings if each.device == EOS] == [EOS]
    assert not judge(balanced()).failed


def test_a_fabric_that_hashes_has_nothing_to_judge() -> None:
    assert check_balancing(clean()) == []


@pytest.mark.parametrize(
    ("device", "changes", "words"),
    [
        (NXOS, {"needs_reload": True, "waits_for_reload": ("no hardware profile dlb",)}, "waits for a reload"),
        (NVUE, {"mode": "per_packet"}, "at work: per_packet, not static"),
    ],
)
def test_a_switch_that_still_balances_though_nobody_asks_for_it_is_named(device: str, changes: Any, words: str) -> None:
    evidence = clean()
    changed = replace(evidence.observed[device], paths=PathState(**{"mode": None, "ports": None, **changes}))
    check, (finding,) = unlike(replace(evidence, observed={**evidence.observed, device: changed}))
    assert (check, finding.device) == ("load-balancing", device)
    assert words in finding.message


@pytest.mark.parametrize("device", [EOS, NXOS, NVUE])
def test_a_switch_that_is_not_configured_to_is_named(device: str) -> None:
    check, (finding,) = unlike(running(device, None))
    assert (check, finding.device, finding.found) == ("load-balancing", device, "static")


@pytest.mark.parametrize(
    ("device", "changes"),
    [
        (EOS, {"flow_set_size": 5}),
        (EOS, {"flow_set_size": None}),
        (NXOS, {"mode": "per_packet"}),
        (NXOS, {"ports": PORTS[NXOS][:1]}),
        (NVUE, {"ports": PORTS[NVUE][1:]}),
    ],
)
def test_each_field_of_what_a_switch_runs_is_judged(device: str, changes: dict[str, Any]) -> None:
    check, (finding,) = unlike(running(device, replace(WANTED[device], **changes)))
    assert (check, finding.device) == ("load-balancing", device)
    assert finding.expected != finding.found
    assert finding.expected in finding.message


def test_what_waits_for_a_reload_is_no_pass_though_it_is_configured() -> None:
    waiting = ("hardware profile dlb ; dlb-interface Eth1/31,Eth1/32",)
    check, (finding,) = unlike(shown(NXOS, waits_for_reload=waiting))
    assert (check, finding.device) == ("load-balancing", NXOS)
    assert "flowlet is configured but not in effect, the switch waits for a reload" in finding.message
    assert waiting[0] in finding.message


def test_a_switch_that_does_not_show_what_waits_could_not_be_told() -> None:
    check, (finding,) = unlike(shown(NXOS, waits_for_reload=None), "could not tell")
    assert (check, finding.device) == ("load-balancing", NXOS)


def test_adaptive_routing_that_is_configured_and_off_is_named() -> None:
    check, (finding,) = unlike(shown(NVUE, mode="static"))
    assert (check, finding.device, finding.found) == ("load-balancing", NVUE, "static")


def test_a_member_that_does_not_take_part_is_named_with_the_far_end() -> None:
    port = fabric_port(NVUE)
    far = clean().far[NVUE, port]
    check, (finding,) = unlike(shown(NVUE, ports=tuple(each for each in PORTS[NVUE] if each != port)))
    assert (check, finding.device, finding.port) == ("load-balancing", NVUE, port)
    assert f"{NVUE} {port} <-> {far.device} {far.port}: at work: static, not adaptive" in finding.message


def test_a_port_that_takes_part_and_shall_not_is_named() -> None:
    check, (finding,) = unlike(shown(NVUE, ports=(*PORTS[NVUE], "swp60")))
    assert (check, finding.port, finding.found) == ("load-balancing", "swp60", "adaptive")


def test_a_switch_whose_configuration_could_not_be_read_is_no_pass() -> None:
    evidence = balanced()
    evidence = replace(evidence, running={name: each for name, each in evidence.running.items() if name != EOS})
    (finding,) = [each for each in check_balancing(evidence) if each.device == EOS]
    assert finding.verdict is Verdict.ERROR

"""Equal-cost paths balanced by load, on the wire: pushed, nothing to do again, and valid only where it is in effect."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from at_terminal import ROOT, Operator, lab_of_its_own
from described_lab import LabDescription, RunningLab
from one_push import transaction

from nornir_tasks.checks.evidence import Evidence, Verdict
from nornir_tasks.checks.switches.balancing import check_balancing
from nornir_tasks.deploy.plan import sides
from nornir_tasks.deploy.plan_one_switch import Rules
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.session import Endpoint, SwitchSession
from nornir_tasks.files.templates import environment
from tests.intent_parts import of_two_rails
from tests.pushed import pushed
from tests.unit.design.test_balancing import NVUE, NXOS, built

EOS_LEAF, NXOS_LEAF, SPINE = "leaf-g1-r0", "leaf-g1-r1", "spine-1"


def flowlet_site(where: Path) -> Operator:
    """Two leaves, of EOS and of NX-OS 10.5, with two links to each of two EOS spines; a flowlet may change its path."""
    made = Operator(where / "lab", where / "state")
    made.site.mkdir(parents=True)
    text = of_two_rails((ROOT / "inventory/lab-rails/fabric.yml").read_text())
    spine = text[text.index("    spine:\n") : text.index("    routing:")]
    for old, new in (
        ("10.4(3)", "10.5(1)"),
        ("load_balancing: static", "load_balancing: flowlet"),
        (spine, "    spine: {platform: eos, release: 4.33.1F, model: 7060DX5-64S, medium: DR4, cable_m: 40,\n"
                "            oversubscription: 0.5, count: 2}\n"),
    ):  # fmt: skip
        assert old in text, old
        text = text.replace(old, new)
    (made.site / "fabric.yml").write_text(text)
    return made


@dataclass
class Begun:
    """The site after its first push and the reload that it took; what was said on the way."""

    operator: Operator
    plan: str
    need_reload: list[str]
    push: str
    second: str
    failed: list[dict[str, Any]]


def failures(operator: Operator, code: int = 8) -> list[dict[str, Any]]:
    return [each for each in operator.json("validate", code=code)["findings"] if each["verdict"] == "fail"]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Begun]:
    """Each test leaves it as it found it: pushed, reloaded and valid."""
    with lab_of_its_own(tmp_path_factory.mktemp("flowlet"), flowlet_site) as made:
        push = ("push", "--plane", "compute", "--yes")
        planned, need_reload = made.run("plan"), made.json("plan")["need_reload"]
        found = Begun(made, planned, need_reload, made.run(*push), made.run(*push), failures(made))
        made.hands()[NXOS_LEAF].nxapi("reload")
        yield found


def test_what_takes_a_reload_is_planned_pushed_and_judged_as_such(begun: Begun) -> None:
    assert "1 of them must be reloaded before all of it is in effect: leaf-g1-r1" in begun.plan
    assert "+ hardware profile dlb / dlb-interface Ethernet1/31   <- reload" in begun.plan
    assert begun.need_reload == [NXOS_LEAF]
    assert "4 of 4 changed" in begun.push
    assert "a reload is pending on 1 of them: leaf-g1-r1" in begun.push
    assert "configured and not in effect" in begun.push
    assert "0 of 4 changed" in begun.second
    (failed,) = begun.failed
    assert (failed["check"], failed["device"]) == ("load-balancing", NXOS_LEAF)
    assert "flowlet is configured but not in effect, the switch waits for a reload" in failed["message"]


def test_after_the_reload_all_is_valid_and_every_switch_was_judged(begun: Begun) -> None:
    report = begun.operator.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    judged = {each["device"] for each in report["findings"] if each["check"] == "load-balancing"}
    assert judged == {EOS_LEAF, NXOS_LEAF, "spine-1", "spine-2"}
    assert "0 of 4 changed" in begun.operator.run("push", "--plane", "compute", "--yes")


def test_what_a_hand_changed_of_it_is_repaired_and_what_it_added_goes_when_it_is_adopted(begun: Begun) -> None:
    operator = begun.operator
    hands = operator.hands()
    hands[EOS_LEAF].configure("no ip hardware fib load-balance distribution dynamic")
    hands[SPINE].configure("ip hardware fib load-balance distribution dynamic flow-set-size 1")
    hands["spine-2"].configure("ip hardware fib optimize prefixes profile internet")  # nobody's: it stays
    lines = "no dlb-interface Eth1/31", "dlb-interface Ethernet1/1", "mode per-packet", "flowlet-aging 600"
    hands[NXOS_LEAF].configure("hardware profile dlb", *lines)
    assert {each["device"] for each in failures(operator) if each["check"] == "load-balancing"} == {
        EOS_LEAF,
        SPINE,
        NXOS_LEAF,
    }
    planned = operator.json("plan")["devices"][NXOS_LEAF]
    changes = {(each["op"], each["path"][-1]) for each in planned["changes"]}
    assert changes == {("+", "dlb-interface Ethernet1/31")}
    met = {each["path"][-1]: each["adopt"] for each in planned["others"]}
    assert met.keys() == {"dlb-interface Ethernet1/1", "mode per-packet", "flowlet-aging 600"}
    adopted = [word for name in met.values() for word in ("--adopt", name)]
    assert "3 of 4 changed" in operator.run("push", "--plane", "compute", *adopted, "--yes")
    assert "0 of 4 changed" in operator.run("push", "--plane", "compute", "--yes")
    assert operator.json("validate")["failed"] == 0  # what the switch started with is what it runs again
    assert "ip hardware fib optimize prefixes profile internet" in hands["spine-2"].running()


def test_back_to_static_leaves_nothing_of_it_and_says_what_a_reload_takes_away(begun: Begun) -> None:
    operator = begun.operator
    file = operator.site / "fabric.yml"
    file.write_text(file.read_text().replace("load_balancing: flowlet", "load_balancing: static"))
    try:
        assert "a reload is pending on 1 of them" in operator.run("push", "--plane", "compute", "--yes")
        assert "0 of 4 changed" in operator.run("push", "--plane", "compute", "--yes")
        for name, hand in operator.hands().items():
            assert not {"dlb", "dynamic"} & set(hand.running().split()), name
        (failed,) = failures(operator)
        assert "static is configured but not in effect, the switch waits for a reload" in failed["message"]
    finally:
        file.write_text(file.read_text().replace("load_balancing: static", "load_balancing: flowlet"))
        operator.run("push", "--plane", "compute", "--yes")


Spraying = tuple[RunningLab, dict[str, Wanted], dict[str, bool]]
"""The lab, what each switch shall hold, and whether the first push changed it."""


@cache
def sprayed() -> Network:
    """Leaves of NX-OS and Cumulus Linux, spines of two releases of the latter; every packet for itself."""
    leaf = {**NXOS, "overrides": ({**NVUE, "rails": (1,)},)}
    return built("per_packet", leaf, {**NVUE, "overrides": ({"index": (2,), "release": "5.16"},)})


@pytest.fixture(scope="module")
def spraying(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> Spraying:
    """Leaves of NX-OS 10.5 and Cumulus Linux 5.14, spines of 5.14 and 5.16, without cables; every packet for itself."""
    network = sprayed()
    description = LabDescription(tmp_path_factory.mktemp("spraying") / "lab")
    made = {}
    for each in device_configs(network):
        config, device = each.config, network.device(each.config.name)
        assert config.bgp is not None
        description.add_device(
            config.name,
            config.os,
            release=config.release,
            model=config.model,
            asic=config.asic,
            asn=config.bgp.asn,
            ports=[
                network.facts[config.os].port_name(n)
                for group in network.models[device.model].ports
                for n in group.numbers
            ],
        )
        made[config.name] = wanted(config, each.capabilities, each.claims, environment(config.os))
    lab = start_module_lab(description)
    return lab, made, {name: push(each, lab.endpoint(name, timeout_s=30.0)) for name, each in made.items()}


def session(each: Wanted, endpoint: Endpoint) -> SwitchSession:
    return open_session(each.config.os, endpoint)


def push(each: Wanted, endpoint: Endpoint, earlier: Wanted | None = None) -> bool:
    """``earlier``: what was pushed to the switch before."""
    rules = Rules(evidence=pushed(earlier or each))
    return transaction(lambda: session(each, endpoint), each, rules).run().changed


def evidence(lab: RunningLab, made: dict[str, Wanted]) -> Evidence:
    """What the check is given, read from the switches."""
    running, observed = {}, {}
    for name, each in made.items():
        link = session(each, lab.endpoint(name, timeout_s=30.0))
        try:
            owned = sides(each, each.platform.to_tree(link.read().text), pushed(each)).owned
            parsed = each.platform.parse(owned, each.capabilities, name, each.config.model)
            assert parsed.remainder.paths() == frozenset(), name
            running[name], observed[name] = parsed.config, link.observe()
        finally:
            link.close()
    configs = {name: each.config for name, each in made.items()}
    return Evidence(sprayed(), configs, running, dict.fromkeys(configs, ()), observed, {}, {})


def test_adaptive_routing_is_pushed_to_both_releases_once_and_seen_at_work_on_every_member(
    spraying: Spraying, figure: Callable[[str], None]
) -> None:
    lab, made, changed = spraying
    assert {(each.config.os, each.config.release) for each in made.values()} == {
        ("nxos", "10.5(1)"), ("nvue", "5.14"), ("nvue", "5.16")
    }  # fmt: skip
    assert set(changed.values()) == {True}
    for name, each in made.items():
        assert not push(each, lab.endpoint(name, timeout_s=30.0)), name
    seen = evidence(lab, made)
    assert all(seen.running[name] == each.config for name, each in made.items())
    findings = [each for each in check_balancing(seen) if made[each.device].config.os == "nvue"]
    assert {each.verdict for each in findings} == {Verdict.PASS}
    ports = {(each.device, each.port) for each in findings if each.port}
    expected = {
        (name, port) for name, x in made.items() if x.config.os == "nvue" for port in x.config.load_balancing.ports
    }
    assert ports == expected
    figure(f"adaptive routing seen at work on {len(ports)} ports of {len({device for device, _ in ports})} switches")


def test_what_is_on_a_port_but_not_at_work_is_caught(spraying: Spraying) -> None:
    """RoCE is what adaptive routing carries: the configuration of it stays as it is, and nothing is balanced."""
    lab, made, _ = spraying
    name = "spine-1"
    each = made[name]
    without = replace(each.config, qos=None)
    bare = wanted(without, each.capabilities, each.claims, environment("nvue"))
    push(bare, lab.endpoint(name, timeout_s=30.0), each)
    seen = evidence(lab, {name: bare})
    failed = [x for x in check_balancing(seen) if x.verdict is Verdict.FAIL]
    assert {x.port for x in failed} == {"", *each.config.load_balancing.ports}
    assert push(each, lab.endpoint(name, timeout_s=30.0))

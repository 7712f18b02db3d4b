"""A template that was tampered with, or a plan that would cut our own path, is refused before anything is sent."""

from pathlib import Path

import jinja2
import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.problems import in_the_way
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import RefusedError, RenderError
from nornir_tasks.files.resources import resource
from nornir_tasks.files.templates import environment
from nornir_tasks.usecases.site import SiteDesign, load
from tests import pushed as pushed_by

ERRORS = Path(__file__).parents[2] / "errors/devices"
DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2"}

MUTANTS = {
    "eos": {
        "the login account": "no username gpufabric",
        "the management address": "interface Management1\n   no ip address",
        "the API": "management api http-commands\n   shutdown",
        "AAA": "no aaa authorization exec default local",
        "the boot image": "boot system flash:/other.swi",
        "the management route": "no ip route vrf MGMT 0.0.0.0/0 192.0.2.1",
    },
    "nxos": {
        "the login account": "no username gpufabric",
        "the management address": "interface mgmt0\n  no ip address",
        "the API": "no feature nxapi",
        "AAA": "no aaa group server tacacs+ TAC",
        "the boot image": "boot nxos bootflash:/other.bin",
        "the management route": "vrf context management\n  no ip route 0.0.0.0/0 192.0.2.1",
    },
    "nvue": {
        "the login account": "system:\n  aaa:\n    user:\n      cumulus:\n        role: system-admin",
        "the management address": "interface:\n  eth0:\n    ip:\n      address:\n        192.0.2.9/24: {}",
        "the API": "system:\n  api:\n    state: disabled",
        "SSH": "system:\n  ssh-server:\n    state: disabled",
        "the management route": "vrf:\n  mgmt:\n    router:\n      static:\n"
        "        0.0.0.0/0:\n          via:\n            192.0.2.1: {}",
    },
}
CASES = [(os, what) for os, cases in MUTANTS.items() for what in cases]


@pytest.fixture(scope="module")
def lab() -> SiteDesign:
    return load("lab-rails")


def build(lab: SiteDesign, device: str, made: jinja2.Environment) -> Wanted:
    each = device_config(lab.network, lab.network.device(device))
    return wanted(each.config, each.capabilities, each.claims, made)


def tampered(os: str, extra: str) -> jinja2.Environment:
    """The OS's templates with a few more lines at the end of main.j2 (NVUE: instead of it, for YAML has one root)."""
    original = (resource("templates") / os / "main.j2").read_text()
    mutant = extra + "\n" if os == "nvue" else f"{original}\n{extra}\n"
    made = environment(os).overlay()
    made.loader = jinja2.ChoiceLoader([jinja2.DictLoader({"main.j2": mutant}), environment(os).loader])
    made.cache = None
    return made


@pytest.mark.parametrize(("os", "what"), CASES, ids=[f"{os}: {what}" for os, what in CASES])
def test_a_template_that_reaches_for_our_own_path_is_refused_before_anything_is_sent(lab, os, what) -> None:
    with pytest.raises(RefusedError) as refused:
        build(lab, DEVICES[os], tampered(os, MUTANTS[os][what]))
    assert refused.value.exit_code == 7
    assert DEVICES[os] in str(refused.value)


@pytest.mark.parametrize("os", sorted(DEVICES))
def test_a_change_that_would_cut_our_own_path_says_which_line_and_what_to_do(lab, os, request) -> None:
    with pytest.raises(RefusedError) as refused:
        build(lab, DEVICES[os], tampered(os, MUTANTS[os]["the management address"]))
    golden = ERRORS / f"own-path-{os}.txt"
    text = f"exit {refused.value.exit_code}\n{refused.value}\n"
    if request.config.getoption("--update-golden"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize(
    ("os", "extra"),
    [
        ("eos", "vlan 999\n   name stray"),
        ("nxos", "vlan 999\n  name stray"),
        ("nvue", "bridge:\n  domain:\n    br_default:\n      vlan:\n        '999': {}"),
    ],
)
def test_a_rendered_line_that_nobody_owns_is_refused(lab, os, extra) -> None:
    with pytest.raises(RefusedError, match="no plane owns"):
        build(lab, DEVICES[os], tampered(os, extra))


@pytest.mark.parametrize("os", sorted(DEVICES))
def test_a_template_that_asks_for_what_is_not_there_names_template_and_line(lab, os) -> None:
    with pytest.raises(RenderError) as failed:
        build(lab, DEVICES[os], tampered(os, "{{ config.no_such_field }}"))
    assert DEVICES[os] in str(failed.value)
    assert "no_such_field" in str(failed.value)


@pytest.mark.parametrize("os", ["eos", "nxos"])
def test_another_asn_with_strangers_in_its_process_is_not_torn_down_unless_it_is_adopted(lab, os) -> None:
    each = build(lab, DEVICES[os], environment(os))
    stranger = "   " if os == "eos" else "  "
    inner = ("router-id 192.0.2.1", "vrf LEGACY", f"{stranger}neighbor 192.0.2.7 remote-as 64512")
    running = "router bgp 64999\n" + "".join(f"{stranger}{line}\n" for line in inner)
    (problem,) = in_the_way(each.device, device_plan(each, running).others)
    assert "router bgp 64999" in problem.what
    assert f"router bgp {each.config.bgp.asn}" in str(problem.expected)
    assert f"--adopt '{each.device}:router bgp 64999'" in str(problem.hint)
    adopted = device_plan(each, running, pushed_by.evidence(adopted=(("router bgp 64999",),)))
    assert not any(other.is_in_the_way for other in adopted.others)
    assert ("router bgp 64999", "vrf LEGACY") in {change.path for change in adopted.changes if change.op == "-"}

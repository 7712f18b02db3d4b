"""A bastion whose sshd opens what the role closes is named with the account and the setting."""

from functools import cache
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.bastion import accounts, check_bastion
from nornir_tasks.checks.hosts.boundary_parts import FACT
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding
from nornir_tasks.checks.hosts.host_suite import requests, roles
from nornir_tasks.design.hosts.bastion_vars import bastion_host_vars
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.platforms import platforms
from tests.unit.checks.right_boundary import SITE

PEOPLE = ("ada", "grace", "linus")
CLOSED = (
    "permitrootlogin", "passwordauthentication", "permitemptypasswords", "hostbasedauthentication",
    "permituserenvironment", "allowagentforwarding", "allowstreamlocalforwarding", "x11forwarding", "permittunnel",
    "gatewayports", "allowtcpforwarding",
)  # fmt: skip


@cache
def _designed() -> dict[str, Any]:
    intent = load_intent(SITE)
    known = {name: each.facts for name, each in platforms().items()}
    return bastion_host_vars(intent, design(intent, load_catalogue(), known))["bastion-1"].ansible()


def variables(**changes: Any) -> dict[str, Any]:
    given = {"bastion_tool_account": "ansible", "bastion_second_factor": "totp"}
    return {**_designed(), **given, **changes}


def effective() -> dict[str, dict[str, dict[str, str]]]:
    """As ``sshd -T`` of OpenSSH 9.2 spells the role's sshd_config for each account."""
    closed = dict.fromkeys(CLOSED, "no")
    session = "/usr/local/sbin/gpufabric-bastion-session"
    person = {"authenticationmethods": "publickey,keyboard-interactive:pam", "forcecommand": session}
    person |= {"allowtcpforwarding": "local", "permitopen": "10.183.0.4:443"}
    tool = {"authenticationmethods": "publickey", "authorizedkeysfile": "none"}
    return {
        "nobody": {"settings": {**closed, "authenticationmethods": "any"}},
        **{name: {"settings": {**closed, **person}} for name in PEOPLE},
        "ansible": {"settings": {**closed, **tool}},
    }


def judged(sshd: dict[str, Any], **changes: Any) -> list[HostFinding]:
    return check_bastion(HostEvidence("bastion-1", variables(**changes), {FACT: {"sshd": sshd}}, {}))


def test_sshd_as_the_role_sets_it_passes_for_everybody() -> None:
    found = judged(effective())
    assert {each.verdict for each in found} == {Verdict.PASS}
    assert len(found) == 5 * 10 + 3 * 3 + 2 + 2


@pytest.mark.parametrize("word", CLOSED)
@pytest.mark.parametrize("name", ["nobody", "grace", "ansible"])
def test_what_is_open_for_one_account_is_named_for_it_alone(name: str, word: str) -> None:
    sshd = effective()
    sshd[name]["settings"][word] = "yes"
    assert [each.name for each in judged(sshd) if each.verdict is not Verdict.PASS] == [f"{name} {word}"]


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("ada", "authenticationmethods", "publickey"),
        ("ada", "forcecommand", "none"),
        ("ansible", "authorizedkeysfile", ".ssh/authorized_keys"),
        ("ansible", "authenticationmethods", "any"),
    ],
    ids=["no second factor", "no recorder", "the tool by a key", "the tool by a password"],
)
def test_a_factor_or_a_recorder_that_is_missing_is_named(name: str, word: str, value: str) -> None:
    sshd = effective()
    sshd[name]["settings"][word] = value
    (failed,) = (each for each in judged(sshd) if each.verdict is not Verdict.PASS)
    assert (failed.name, failed.found) == (f"{name} {word}", value)


def test_without_a_second_factor_in_the_intent_none_is_asked_for() -> None:
    sshd = effective()
    for name in PEOPLE:
        sshd[name]["settings"]["authenticationmethods"] = "publickey"
    assert {each.verdict for each in judged(sshd, bastion_second_factor="none")} == {Verdict.PASS}


def test_a_file_that_sshd_does_not_take_leaves_all_untold_with_its_words() -> None:
    found = judged({name: {"reason": "line 7: Bad configuration option"} for name in effective()})
    assert {(each.verdict, each.why) for each in found} == {(Verdict.ERROR, "line 7: Bad configuration option")}


def test_sshd_is_asked_for_each_who_may_come_in_and_for_one_who_may_not() -> None:
    (request,) = requests(variables())
    assert request.arguments["sshd"] == ["nobody", *PEOPLE, "ansible"]
    assert roles(variables()) == ("bastion", "host_validate")
    assert accounts({"firewall_zones": []}) == ()

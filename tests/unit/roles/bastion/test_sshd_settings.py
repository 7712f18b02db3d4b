"""What sshd's file says of each person and of Ansible's account, whatever the site has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

ROLE = Path(__file__).parents[4] / "roles" / "bastion"
TARGETS = [
    {"name": "leaf-1", "group": "switches", "address": "10.183.0.12", "tcp": ["22"], "udp": []},
    {"name": "pdu-1", "group": "pdu", "address": "10.183.0.3", "tcp": ["443", "8000-8100"], "udp": ["161"]},
    {"name": "clock-1", "group": "clock", "address": "10.183.0.4", "tcp": [], "udp": ["123"]},
]
VALUES: dict[str, Any] = {
    "bastion_users": [
        {"name": "ada", "targets": ["switches"]},
        {"name": "linus", "targets": ["pdu"]},
        {"name": "eve", "targets": ["clock"]},
        {"name": "grace", "targets": ["switches"]},
    ],
    "bastion_targets": TARGETS,
    "bastion_clients": ["192.0.2.0/25"],
    "bastion_clients_v6": ["2001:db8:500::/48"],
    "bastion_tool_sources": ["10.183.0.9/32"],
    "bastion_tool_sources_v6": [],
}


def rendered(**changed: Any) -> dict[str, dict[str, list[str]]]:
    """Person, or nothing for all -> word of sshd_config -> the rest of each line with it."""
    own = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    own |= yaml.safe_load((ROLE / "vars" / "main.yml").read_text())
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False)
    text = environment.from_string((ROLE / "templates" / "sshd_config.j2").read_text()).render(
        **{**own, **VALUES, **changed}
    )
    found: dict[str, dict[str, list[str]]] = {"": {}}
    whose = [""]
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "Match":
            whose = rest.removeprefix("User ").split(",")
            found |= {name: {} for name in whose}
        elif word and not word.startswith("#"):
            for name in whose:
                found[name].setdefault(word, []).append(rest)
    return found


@pytest.mark.parametrize(
    ("person", "ends"),
    [
        ("ada", "10.183.0.12:22 leaf-1:22"),
        ("grace", "10.183.0.12:22 leaf-1:22"),
        ("linus", "10.183.0.3:443 pdu-1:443 10.183.0.3:* pdu-1:*"),
        ("eve", "none"),
    ],
)
def test_a_person_is_forwarded_to_declared_ends_alone_and_where_there_are_none_nowhere(person: str, ends: str) -> None:
    assert rendered()[person]["PermitOpen"] == [ends]
    assert rendered()[""]["PermitOpen"] == ["none"]


def test_each_comes_from_where_that_one_may_and_nobody_else_comes() -> None:
    assert rendered()[""]["AllowUsers"] == [
        "ada@192.0.2.0/25 ada@2001:db8:500::/48",
        "linus@192.0.2.0/25 linus@2001:db8:500::/48",
        "eve@192.0.2.0/25 eve@2001:db8:500::/48",
        "grace@192.0.2.0/25 grace@2001:db8:500::/48",
        "ansible@10.183.0.9/32",
    ]


def test_a_key_does_not_let_in_ansibles_account_nor_a_certificate_of_peoples_authority() -> None:
    tool = rendered(bastion_user_ca=["ssh-ed25519 AAAA"])["ansible"]
    assert tool["AuthorizedKeysFile"] == ["none"]
    assert tool["TrustedUserCAKeys"] == ["/etc/gpufabric/bastion/tool_ca.pub"]
    assert tool["AuthenticationMethods"] == ["publickey"]


@pytest.mark.parametrize(("factor", "methods"), [("totp", "publickey,keyboard-interactive:pam"), ("none", "publickey")])
def test_people_need_the_second_factor_after_the_key_unless_the_site_has_none(factor: str, methods: str) -> None:
    assert rendered(bastion_second_factor=factor)["ada"]["AuthenticationMethods"] == [methods]


def test_a_person_has_one_session_for_a_connection_as_a_second_one_would_not_be_recorded() -> None:
    for person in ("ada", "linus", "eve", "grace"):
        assert rendered()[person]["MaxSessions"] == ["1"]
        assert rendered()[person]["ForceCommand"] == ["/usr/local/sbin/gpufabric-bastion-session"]


def test_no_other_file_is_read() -> None:
    assert "Include" not in rendered()[""]

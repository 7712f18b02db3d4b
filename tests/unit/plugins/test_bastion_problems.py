"""What keeps a host from being a bastion is found before anything changes: what would shut Ansible or a person out."""

import base64
import struct
from typing import Any

import pytest

from ansible_collections.gpufabric.host.plugins.filter.bastion_problems import bastion_problems


def key(kind: str, *fields: bytes, says: str | None = None) -> str:
    """A public key of one line; ``says``: another kind than it is."""
    data = b"".join(struct.pack(">I", len(each)) + each for each in (kind.encode(), *fields))
    return f"{says or kind} {base64.b64encode(data).decode()} somebody"


ED25519 = key("ssh-ed25519", b"\x01" * 32)
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
VALUES: dict[str, Any] = {
    "address": "203.0.113.68/27",
    "address_v6": None,
    "plane_address": "10.183.0.2/26",
    "tool_sources": ["10.183.0.0/24"],
    "tool_sources_v6": ["fd00:183::/64"],
    "users": [{"name": "ada", "groups": ["network"], "targets": ["switches"]}],
    "targets": [{"name": "leaf-1", "group": "switches", "address": "10.183.0.12", "tcp": ["22"], "udp": []}],
    "keys": {"ada": [ED25519]},
    "user_ca": [],
    "revoked_keys": [],
    "tool_account": "ansible",
    "tool_ca": [ED25519],
    "second_factor": "totp",
    "totp_secrets": {"ada": SECRET},
    "ssh_port": 22,
}
HOST: dict[str, Any] = {
    "addresses": [
        {"ifname": "dmz", "addr_info": [{"local": "203.0.113.68", "prefixlen": 27}]},
        {"ifname": "oob", "addr_info": [{"local": "10.183.0.2", "prefixlen": 26}]},
    ],
    "passwd": [
        "root:x:0:0:root:/root:/bin/bash",
        "www-data:x:33:33::/:/usr/sbin/nologin",
        "ansible:x:1000:1000::/:/bin/sh",
    ],
    "group": [
        "root:x:0:",
        "adm:x:4:",
        "sudo:x:27:ansible",
        "docker:x:990:",
        "systemd-journal:x:999:",
        "users:x:100:ada",
    ],
    "came": "10.183.0.9 40000 10.183.0.2 22",
    "account": "ansible",
}


def problems(host: dict[str, Any] | None = None, **changed: Any) -> list[str]:
    return bastion_problems({**VALUES, **changed}, {**HOST, **(host or {})})


def test_a_host_that_can_be_one_is_taken() -> None:
    assert problems() == []


@pytest.mark.parametrize("came", ["", "fd00:183::9 40000 fd00:183::1 22"])
def test_ansible_that_comes_from_where_it_may_is_taken(came: str) -> None:
    assert problems({"came": came}) == []


def test_a_certificate_authority_stands_for_keys() -> None:
    assert problems(keys={}, user_ca=[ED25519]) == []


def test_without_a_second_factor_nobody_needs_a_secret() -> None:
    assert problems(second_factor="none", totp_secrets={}) == []


@pytest.mark.parametrize(
    ("host", "says"),
    [
        (
            {"came": "10.99.0.9 40000 10.183.0.2 22"},
            "bastion_tool_sources: Ansible comes from 10.99.0.9, which is in none",
        ),
        ({"came": "10.183.0.9 40000 10.183.0.2 2222"}, "bastion_ssh_port: Ansible comes in by port 2222, not 22"),
        ({"account": "root"}, "bastion_tool_account: Ansible comes in as root, not ansible, and would shut itself out"),
        ({"passwd": HOST["passwd"][:2]}, "bastion_tool_account: no account ansible on this host"),
        ({"addresses": HOST["addresses"][:1]}, "bastion_plane_address: no interface has 10.183.0.2/26"),
    ],
)
def test_a_host_that_would_shut_out_ansible_or_lacks_an_address_is_refused(host: dict[str, Any], says: str) -> None:
    (problem,) = problems(host)
    assert problem.startswith(says)


def test_without_an_authority_for_its_certificate_ansible_would_be_shut_out() -> None:
    (problem,) = problems(tool_ca=[])
    assert problem.startswith("bastion_tool_ca: no authority")


def test_root_is_not_ansibles_account() -> None:
    assert any("the role never lets root in" in each for each in problems({"account": "root"}, tool_account="root"))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"keys": {}}, "bastion_keys ada: neither a key nor bastion_user_ca"),
        ({"keys": {"ada": [ED25519], "eve": [ED25519]}}, "bastion_keys eve: no account of bastion_users"),
        ({"keys": {"ada": ["ssh-dss AAAA"]}}, "bastion_keys ada[0]: no public key that is taken"),
        ({"keys": {"ada": [f'command="id" {ED25519}']}}, "bastion_keys ada[0]: no public key that is taken"),
        ({"keys": {"ada": ["-----BEGIN OPENSSH PRIVATE KEY-----"]}}, "bastion_keys ada[0]: a private key"),
        ({"keys": {"ada": [ED25519[:40]]}}, "bastion_keys ada[0]: no ssh-ed25519 key, though it says so"),
        (
            {"keys": {"ada": [key("ssh-ed25519", b"\x01" * 32, says="ssh-rsa")]}},
            "bastion_keys ada[0]: no ssh-rsa key, though it says so",
        ),
        (
            {"keys": {"ada": [key("ssh-rsa", b"\x01\x00\x01", b"\x00" + b"\xff" * 256)]}},
            "bastion_keys ada[0]: an RSA key of 2048 bits; 3072 or more, or ed25519",
        ),
        ({"totp_secrets": {}}, "bastion_totp_secrets ada: no second factor"),
        ({"totp_secrets": {"ada": "not base32"}}, "bastion_totp_secrets ada: not base32"),
        ({"totp_secrets": {"ada": SECRET[:16]}}, "bastion_totp_secrets ada: 10 bytes; 16 or more"),
        ({"totp_secrets": {"ada": SECRET, "eve": SECRET}}, "bastion_totp_secrets: two people have the same"),
        ({"targets": []}, "bastion_users ada: no target is of the group switches"),
        ({"revoked_keys": ["nonsense"]}, "bastion_revoked_keys[0]: no public key that is taken"),
        ({"tool_account": "ansible", "user_ca": ["nonsense"]}, "bastion_user_ca[0]: no public key that is taken"),
    ],
)
def test_people_who_could_not_come_in_or_too_easily_are_refused(changed: dict[str, Any], says: str) -> None:
    (problem,) = problems(**changed)
    assert problem.startswith(says)


@pytest.mark.parametrize(
    ("name", "says"),
    [("ansible", "is bastion_tool_account"), ("www-data", "an account of the system (user number 33)")],
)
def test_nobody_is_given_an_account_that_is_something_elses(name: str, says: str) -> None:
    user = {"name": name, "groups": [], "targets": []}
    found = problems(users=[user], keys={name: [ED25519]}, totp_secrets={name: SECRET})
    assert [each for each in found if says in each] == found
    assert len(found) == 1


@pytest.mark.parametrize(
    ("passwd", "group", "wanted"),
    [
        (
            "ada:x:1001:1001::/:/bin/bash",
            ["adm:x:4:eve,ada", "sudo:x:27:ansible,ada"],
            ["adm and so reads everybody's recordings", "sudo and so may become root"],
        ),
        ("ada:x:1001:990::/:/bin/bash", ["docker:x:990:"], ["docker and so may become root"]),
        ("ada:x:1001:1001::/:/bin/bash", ["sudo:x:27:adam", "users:x:100:ada"], []),
    ],
    ids=["by each group", "by the account's first group", "by none"],
)
def test_an_account_that_may_become_root_or_reads_recordings_is_no_persons(
    passwd: str, group: list[str], wanted: list[str]
) -> None:
    found = problems({"passwd": [*HOST["passwd"], passwd], "group": group})
    assert [each.partition("the group ")[2].partition(", where")[0] for each in found] == wanted
    assert all(each.startswith("bastion_users ada: ") and "or another name" in each for each in found)


def test_everything_is_said_at_once_and_no_secret_is_quoted() -> None:
    secrets = {"ada": "not base32 at all", "eve": "GEZDGNBV"}
    found = problems({"account": "root"}, keys={}, totp_secrets=secrets, tool_ca=[])
    assert len(found) == 4
    assert not any(secret in each for each in found for secret in secrets.values())

"""The keys of one switch are those that paramiko's own reader finds in the file, whatever else the file lists."""

from pathlib import Path

import paramiko
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from paramiko import HostKeys

from nornir_tasks.drivers.known_hosts import keys_of, listed_as

KEYS = tuple(paramiko.ECDSAKey.generate() for _ in range(3))
NAMES = ("10.0.0.1", "[10.0.0.1]:8022", "10.0.0.11", "leaf-1")
SALT = "|1|AAAAAAAAAAAAAAAAAAAAAAAAAAA=|"
BROKEN = ("", "# comment", "10.0.0.1", "10.0.0.1 ssh-ed25519", "10.0.0.1 ssh-new AAAA", "|1|no|salt ssh-rsa AAAA")


def hashed(name: str) -> str:
    return HostKeys.hash_host(name, SALT)


def line(names: list[str], key: paramiko.PKey) -> str:
    return f"{','.join(names)} {key.get_name()} {key.get_base64()}"


names = st.lists(st.sampled_from((*NAMES, *map(hashed, NAMES))), min_size=1, max_size=3, unique=True)
lines = st.lists(st.one_of(st.builds(line, names, st.sampled_from(KEYS)), st.sampled_from(BROKEN[:5])), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines)
def test_a_switchs_keys_are_those_that_paramiko_reads(tmp_path: Path, listed: list[str]) -> None:
    file = tmp_path / "known_hosts"
    file.write_text("\n".join(listed))
    for name in NAMES:
        theirs = HostKeys(str(file)).lookup(name) or {}
        expected = {kind: theirs[kind].get_base64() for kind in theirs}
        assert {kind: key.get_base64() for kind, key in keys_of(name, file).items()} == expected


def test_a_broken_line_lists_no_key_and_hides_no_other(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    file.write_text("\n".join((*BROKEN, "10.0.0.1 ssh-rsa ***", line([hashed("10.0.0.1")], KEYS[0]))))
    assert [key.get_base64() for key in keys_of("10.0.0.1", file).values()] == [KEYS[0].get_base64()]


def test_a_host_is_listed_with_its_port_unless_that_is_sshs_own() -> None:
    assert listed_as("10.0.0.1", 22) == "10.0.0.1"
    assert listed_as("10.0.0.1", 8022) == "[10.0.0.1]:8022"

"""A server that goes by a name breaks nothing, even by a name of hexadecimal digits, which looks like an address."""

import pytest

from nornir_tasks.platforms import platform

LINES = {
    "eos": ("ntp server vrf MGMT {}", "logging vrf MGMT host {}", "ip name-server vrf MGMT {}"),
    "nxos": ("ntp server {} use-vrf management", "logging server {} 5 use-vrf management", "ip name-server {}"),
}
RELEASES = {"eos": ("4.33.1F", "tomahawk4"), "nxos": ("10.4(3)", "cloudscale-gx2")}


@pytest.mark.parametrize("name", ["0.pool.example.org", "cafe.de", "abc"])
@pytest.mark.parametrize("os", LINES)
def test_a_configuration_with_servers_by_name_is_parsed(os: str, name: str) -> None:
    system = platform(os)
    capabilities = system.facts.capabilities(*RELEASES[os])
    text = "\n".join(line.format(each) for line in LINES[os] for each in (name, "192.0.2.1"))
    found = system.parse(system.to_tree(text + "\n"), capabilities, "leaf", "any")
    assert "192.0.2.1" in {each.address for each in found.config.base.time_servers}

"""Published outputs of LACP's partners become the same neutral rows on both systems that show them."""

import json
import sys
from pathlib import Path

import pytest

from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nxos import observe as nxos
from nornir_tasks.platforms.observed import LacpPartner

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import stdout_of

SYSTEM = "02:00:5e:00:01:01"


def test_eos_shows_the_system_of_each_member_and_its_timeout() -> None:
    shown = json.loads(stdout_of("eos_show/lacp.txt", eos.PARTNERS.what))
    member = shown["portChannels"]["Port-Channel101"]["interfaces"]["Ethernet1"]
    rates = []
    for timeout in (False, True):
        member["partnerPortState"]["timeout"] = timeout
        (found,) = eos.OBSERVING.read("leaf", {eos.PARTNERS.what: shown}).partners or ()
        assert (found.port, found.system) == ("Ethernet1", SYSTEM)
        rates.append(found.rate)
    assert rates == ["slow", "fast"]
    del member["partnerPortState"]["timeout"]
    assert eos.OBSERVING.read("leaf", {eos.PARTNERS.what: shown}).partners == (LacpPartner("Ethernet1", SYSTEM, None),)
    member["partnerSystemId"] = "0000,00-00-00-00-00-00"
    assert eos.OBSERVING.read("leaf", {eos.PARTNERS.what: shown}).partners == ()


def test_nxos_shows_the_system_of_each_member_and_its_flags() -> None:
    text = stdout_of("nxos_show/lacp_neighbor_text.txt", nxos.PARTNERS.what)
    for flags, rate in (("FA", "fast"), ("SP", "slow")):
        shown = text.replace("30          FA", f"30          {flags}")
        found = nxos.OBSERVING.read("leaf", {nxos.PARTNERS.what: shown}).partners
        assert found == (LacpPartner("Ethernet1/1", SYSTEM, rate),)  # type: ignore[arg-type]
    nobody = text.replace("2-0-5e-0-1-1", "0-0-0-0-0-0")
    assert nxos.OBSERVING.read("leaf", {nxos.PARTNERS.what: nobody}).partners == ()


@pytest.mark.parametrize("octets", ["10-22-33-44-55-a0", "10-22-33-44-55-0", "10-22-33-44-55-66"])
def test_nxos_shows_a_system_that_fills_its_column(octets: str) -> None:
    """The port number follows it without a blank, and after five octets and a half with one."""
    text = stdout_of("nxos_show/lacp_neighbor_wide_text.txt", nxos.PARTNERS.what)
    shown = text.replace("10-22-33-44-55-a0", f"{octets:<17}")
    found = nxos.OBSERVING.read("leaf", {nxos.PARTNERS.what: shown}).partners
    system = ":".join(f"{int(each, 16):02x}" for each in octets.split("-"))
    assert found == (LacpPartner("Ethernet1/31", system, "slow"),)


@pytest.mark.parametrize("os", platforms())
def test_a_switch_that_was_not_asked_or_refused_shows_nothing(os: str) -> None:
    assert platforms()[os].observing.read("leaf", {}).partners is None

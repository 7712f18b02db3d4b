"""Published tables of learned MAC addresses become the same neutral rows on three systems."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import read_transcript, stdout_of

LEARNED, OWN = "02:00:00:00:00:21", "02:00:00:00:00:23"


def learned(observing: Any, what: str, shown: Any) -> list[tuple[str, str]]:
    return [(each.port, each.mac) for each in observing.read("leaf", {what: shown}).macs]


def test_eos_has_learned_what_is_dynamic() -> None:
    shown = json.loads(stdout_of("eos_show/mac_address_table.txt", eos.MACS.what))
    assert learned(eos.OBSERVING, eos.MACS.what, shown) == [("Ethernet44", LEARNED)]


def test_nxos_has_learned_what_is_on_a_port_and_not_configured() -> None:
    shown = json.loads(stdout_of("nxos_show/mac_address_table.txt", nxos.MACS.what))
    assert learned(nxos.OBSERVING, nxos.MACS.what, shown) == [("Ethernet1/44", LEARNED)]
    one = json.loads(stdout_of("nxos_show/mac_address_table.txt", f"{nxos.MACS.what} address 0200.0000.0021"))
    assert learned(nxos.OBSERVING, nxos.MACS.what, one) == [("Ethernet1/5/2", LEARNED)]
    one["TABLE_mac_address"]["ROW_mac_address"]["disp_is_static"] = "enabled"
    assert learned(nxos.OBSERVING, nxos.MACS.what, one) == []


def test_cumulus_linux_has_learned_rows_without_a_type_or_dynamic_ones_whatever_the_key() -> None:
    by_number, by_address = (json.loads(call.stdout) for call in read_transcript("nvue_show/mac_table.txt"))
    assert learned(nvue.OBSERVING, nvue.MACS.what, by_number) == [("swp30s0", LEARNED)]
    assert learned(nvue.OBSERVING, nvue.MACS.what, by_address) == [("swp1", LEARNED)]
    del by_address[LEARNED]["mac"]
    assert learned(nvue.OBSERVING, nvue.MACS.what, by_address) == [("swp1", LEARNED)]


@pytest.mark.parametrize("os", platforms())
def test_an_empty_table_is_none_that_was_not_shown(os: str) -> None:
    observing = platforms()[os].observing
    (request,) = observing.requests["macs"]
    assert observing.read("leaf", {}).macs is None
    assert observing.read("leaf", {request.what: {}}).macs == ()

"""Published outputs of pairs of switches become the same neutral state on three systems."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos
from nornir_tasks.platforms.observed import FIELDS, NO_PAIR, PairState, Unlike

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import read_transcript, stdout_of


def recorded(name: str, command: str) -> Any:
    return json.loads(stdout_of(name, command))


def on_eos(shown: Any, compared: Any = None) -> PairState | None:
    answers = {eos.PAIR.what: shown, eos.UNLIKE.what: compared or {}}
    return eos.OBSERVING.read("leaf", answers).pair


def test_eos_shows_a_pair_that_is_up_and_a_switch_without_one() -> None:
    alike = recorded("eos_show/mlag_config_sanity.txt", eos.UNLIKE.what)
    assert on_eos(recorded("eos_show/mlag.txt", eos.PAIR.what), alike) == PairState(
        "L01", "Port-Channel1000", connected=True, state="connected", keepalive=True, role="primary", unlike=()
    )
    assert on_eos(recorded("eos_show/mlag_disabled.txt", eos.PAIR.what)) == NO_PAIR


def test_a_pair_of_eos_that_still_connects_has_no_peer() -> None:
    found = on_eos(recorded("eos_show/mlag_broken.txt", "show mlag"))
    assert found is not None
    assert (found.connected, found.state, found.unlike) == (False, "connecting", None)


def test_eos_shows_only_what_both_have_otherwise() -> None:
    shown = recorded("eos_show/mlag.txt", eos.PAIR.what)
    calls = read_transcript("eos_show/mlag_config_sanity.txt")
    found = [on_eos(shown, json.loads(call.stdout)) for call in calls]
    assert [each.unlike for each in found if each] == [
        (),
        (Unlike("mlag dual-primary-detection-delay", "0", "10"),),
        (Unlike("trunk-native-vlan mlag101", "1", "100"),),
    ]


def on_nxos(shown: Any, compared: Any = None) -> PairState | None:
    return nxos.OBSERVING.read("leaf", {nxos.PAIR.what: shown, nxos.UNLIKE.what: compared}).pair


def test_what_nxos_does_not_say_of_a_pair_is_not_taken_for_a_failure() -> None:
    up = recorded("nxos_show/vpc.txt", "show vpc | json native")
    silent = {key: value for key, value in up.items() if key not in {"vpc-peer-status", "vpc-peer-keepalive-status"}}
    found = on_nxos(silent)
    assert found is not None
    assert (found.connected, found.keepalive, found.unlike) == (None, None, None)


def test_nxos_shows_a_pair_that_is_up_one_whose_peer_link_is_not_and_a_switch_without_one() -> None:
    up = recorded("nxos_show/vpc.txt", "show vpc | json native")
    assert on_nxos(up) == PairState(
        "1", "port-channel1000", connected=True, state="peer-ok", keepalive=True, role="primary", unlike=()
    )
    assert on_nxos(recorded("nxos_show/vpc_peer_link_down.txt", "show vpc | json-pretty")) == PairState(
        "1",
        "port-channel1000",
        connected=False,
        state="peer-link-down",
        keepalive=True,
        role="secondary-primary",
        unlike=None,
    )
    assert on_nxos({}) == NO_PAIR


def test_nxos_shows_rows_of_what_both_compare_and_those_that_differ_are_named() -> None:
    up = recorded("nxos_show/vpc.txt", "show vpc | json native")
    compared = recorded("nxos_show/vpc_consistency.txt", f"{nxos.UNLIKE.what} | json-pretty")
    found = on_nxos(up, compared)
    assert found is not None and found.unlike == (Unlike("STP MST Simulate PVST", "Enabled", "Disabled"),)
    failed = on_nxos({**up, "vpc-type-2-consistency": "inconsistent", "vpc-type-2-consistency-status": "REASON"})
    assert failed is not None and failed.unlike == (Unlike("vpc-type-2-consistency", "inconsistent", "REASON"),)


def table(name: str) -> dict[str, str]:
    """The operational column of ``nv show mlag``."""
    head, _, *rows = stdout_of(name, "nv show mlag").splitlines()
    at, end = head.index("operational"), head.index("applied")
    return {row.split()[0].strip("[]"): row[at:end].strip() for row in rows}


@pytest.mark.parametrize("spell", [str, lambda text: {"True": True, "False": False}.get(text, text)])
def test_cumulus_linux_shows_the_rows_of_its_table_as_texts_or_as_truths(spell: Any) -> None:
    for name, mac, keepalive in (
        ("nvue_show/pair_reference.txt", "44:38:39:be:fa:bb", True),
        ("nvue_show/pair.txt", "44:38:39:ff:33:bb", False),
    ):
        answer = {key: spell(value) for key, value in table(name).items()}
        assert nvue.OBSERVING.read("leaf", {nvue.PAIR.what: answer}).pair == PairState(
            mac, "peerlink", connected=True, state="alive", keepalive=keepalive, role="primary", unlike=None
        )


def rows(command: str) -> dict[str, Any]:
    """A table of the consistency checker, with its columns as NVUE would spell keys."""
    lines = stdout_of("nvue_show/pair.txt", command).splitlines()
    rule = next(number for number, line in enumerate(lines) if line.strip().startswith("---"))
    cells = (re.split(r"\s{2,}", line.strip(), maxsplit=3) for line in lines[rule + 1 :])
    return {name: {"local-value": own, "peer-value": peer, "conflict": words} for name, own, peer, words in cells}


def on_nvue(compared: Any, of_bond: Any = None) -> tuple[Unlike, ...] | None:
    """What both have otherwise; ``of_bond``: rows of bond1, where they are shown."""
    ports = {"bond1": {"bond": {"mlag": {"consistency-checker": of_bond}}}} if of_bond else {}
    answers = {nvue.PAIR.what: table("nvue_show/pair.txt"), nvue.UNLIKE.what: compared, nvue.PORTS: ports}
    found = nvue.OBSERVING.read("leaf", answers).pair
    assert found is not None
    return found.unlike


def test_cumulus_linux_shows_rows_of_what_both_compare_and_conflicts_are_named() -> None:
    found = on_nvue(rows("nv show mlag consistency-checker global"))
    words = "system mac mismatch between clag peers"
    assert found == (Unlike(f"system-mac ({words})", "44:38:39:FF:33:bb", "44:38:39:FF:33:bb"),)
    alike = {name: {**row, "conflict": "-"} for name, row in rows("nv show mlag consistency-checker global").items()}
    assert on_nvue(alike) == ()
    other = {**alike, "peerlink-mtu": {"local-value": "9216", "peer-value": "9000", "conflict": {"words": {}}}}
    assert on_nvue(other) == (Unlike("peerlink-mtu", "9216", "9000"),)


def test_what_both_compare_of_a_bond_is_named_with_the_bond() -> None:
    shown, alike = rows("nv show interface bond1 bond mlag consistency-checker"), {"system-mac": ROW}
    assert on_nvue(alike, shown) == (Unlike("bond1 mtu", "4800", "1500"),)  # NOT-SYNCED of master is no conflict


def test_rows_of_cumulus_linux_in_another_shape_could_not_be_told() -> None:
    assert on_nvue({}) is None
    assert on_nvue({"system-mac": {"LocalValue": "a", "PeerValue": "b"}}) is None


ROW = {"local-value": "a", "peer-value": "a", "conflict": "-"}


def test_nxos_names_a_vpc_that_it_says_is_not_consistent() -> None:
    up = recorded("nxos_show/vpc.txt", "show vpc | json native")
    row = {"vpc-id": 3, "vpc-consistency": "inconsistent", "vpc-consistency-status": "REASON"}
    found = on_nxos({**up, "TABLE_vpc": {"ROW_vpc": row}})
    assert found is not None and found.unlike == (Unlike("vPC 3", "inconsistent", "REASON"),)
    down = {**row, "vpc-consistency-status": "CONSISTENCY_CHECK_NOT_PERFORMED"}
    found = on_nxos({**up, "TABLE_vpc": {"ROW_vpc": down}})
    assert found is not None and found.unlike == ()


def test_cumulus_linux_without_mlag_is_in_no_pair() -> None:
    assert nvue.OBSERVING.read("leaf", {nvue.PAIR.what: {}}).pair == NO_PAIR


@pytest.mark.parametrize("os", platforms())
def test_a_switch_that_shall_be_in_no_pair_is_asked_nothing_of_pairs(os: str) -> None:
    observing = platforms()[os].observing
    without = observing.requests_for([each for each in FIELDS if each != "pair"])
    of_pairs = {each.what for each in observing.requests["pair"]} - {nvue.PORTS}  # all of a switch's ports in one
    assert of_pairs.isdisjoint(each.what for each in without)
    assert observing.read("leaf", {}).pair is None

"""The bill of materials: every part of the reference sites counted one by one, spares, prices, what nobody declared."""

from collections import Counter
from typing import Any

import pytest

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.design.reports.bom import Bill, bill_of_materials
from nornir_tasks.design.reports.cabling_plan import cabling_plan
from nornir_tasks.errors import DesignError, IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from tests.reference import reference
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

SN5600 = {"platform": "nvue", "release": "5.14", "model": "SN5600"}
D5 = {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}


def bill(intent: Intent, network: Network | None = None) -> Bill:
    facts = {name: each.facts for name, each in platforms().items()}
    return bill_of_materials(network or design(intent, load_catalogue(), facts), intent, load_catalogue())


def of_site(name: str) -> tuple[Network, Bill]:
    network = reference(name)
    return network, bill(load_site(name).intent, network)


def lines(of: Bill) -> dict[tuple[str, str, str | None, int | None], int]:
    """(Kind, part, form factor, length) -> how many are built in."""
    return {(x.part.kind, x.part.part, x.part.form_factor, x.part.length_m): x.count for x in of.lines}


def agrees_with_the_network(network: Network, of: Bill) -> None:
    """Counted another way: ports and cages by the links' ends, labels by the rows of the cabling plan."""
    straight = {cable.name for cable in network.cables if cable.medium in {"AOC", "DAC"}}
    ends = [end for link in network.links if link.cable not in straight for end in (link.upper, link.lower)]
    plugs = {(end.device, end.slot.number if end.slot else end.port) for end in ends}
    assert of.totals().get("transceiver", 0) == len(plugs)
    assert of.totals().get("assembly", 0) == len(straight)
    assert of.totals()["switch"] == len(network.devices)
    assert of.totals()["nic"] == len(
        {(link.lower.device, link.lower.port) for link in network.links if link.kind == "host"}
    )
    assert of.totals()["label"] == len(network.links)


def test_512_gpus() -> None:
    network, found = of_site("ref-512")
    agrees_with_the_network(network, found)
    assert lines(found) == {
        ("switch", "7060DX5-64S", None, None): 8,
        ("switch", "SN5600", None, None): 2,
        ("nic", "ConnectX-7", None, None): 512,
        ("transceiver", "2x400G-DR4", "OSFP", None): 128,
        ("transceiver", "400G-DR4", "QSFP-DD", None): 256,
        ("jumper", "OS2 jumper, MPO-12/APC", None, 60): 256,
        ("assembly", "400G-AOC-2x200G", "QSFP-DD to OSFP or QSFP112", 10): 256,
        ("label", "cable label", None, None): 768,
    }
    totals = found.totals()
    assert (totals["jumper"], totals["assembly"], totals["transceiver"]) == (256, 256, 384)
    assert len({row.label for row in cabling_plan(network)}) == totals["label"]


def test_28672_gpus_on_twin_port_optics() -> None:
    network, found = of_site("ref-28672-sn5600")
    agrees_with_the_network(network, found)
    assert lines(found) == {
        ("switch", "SN5600", None, None): 288,
        ("nic", "ConnectX-7", None, None): 28672,
        ("transceiver", "400G-DR4", "OSFP or QSFP112", None): 28672,
        ("transceiver", "MMS4X00-NM", "OSFP", None): 256 * 8 + 32 * 64,  # 200 m between switches
        ("transceiver", "MMS4X00-NS", "OSFP", None): 256 * 56,  # 50 m to hosts
        ("jumper", "OS2 jumper, MPO-12/APC", None, 50): 28672,
        ("jumper", "OS2 jumper, MPO-12/APC", None, 200): 4096,
        ("label", "cable label", None, None): 28672 + 4096,
    }


def test_32768_gpus() -> None:
    network, found = of_site("ref-32768")
    agrees_with_the_network(network, found)
    totals = found.totals()
    assert (totals["switch"], totals["jumper"], totals["transceiver"]) == (1280, 98304, 196608)
    lengths = {x.part.length_m: x.count for x in found.lines if x.part.kind == "jumper"}
    assert lengths == {50: 32768, 100: 2 * 32768}


@pytest.mark.parametrize(
    ("units", "switches", "jumpers"),
    [
        (2, 16 + 8, 512 * 2),
        (4, 32 + 16, 1024 * 2),
        (8, 64 + 32, 2048 * 2),
        (16, 128 + 128 + 64, 4096 * 3),
        (32, 256 + 256 + 128, 8192 * 3),
        (64, 512 + 512 + 256, 16384 * 3),
    ],
)
def test_dgx_superpod_b200(units: int, switches: int, jumpers: int) -> None:
    """docs.nvidia.com, DGX SuperPOD B200 reference architecture, every port whole."""
    kind = {"platform": "nvue", "release": "5.14", "model": "REF-64x400G", "medium": "DR4", "cable_m": 50}
    hosts, three = 32 * units, {"design": "clos3", "core": kind} if units > 8 else {}
    group, nics = {"count": hosts, "max": hosts}, {"rails": 8, "speed": "400G", "model": "ConnectX-7"}
    data = site(hosts=group, nics=nics, leaf=kind, spine={**kind, "oversubscription": 1}, **three)
    intent = intent_of(data)
    network = design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})
    found = bill(intent, network)
    agrees_with_the_network(network, found)
    totals = found.totals()
    assert (totals["switch"], totals["nic"]) == (switches, 8 * hosts)
    assert (totals["jumper"], totals["transceiver"]) == (jumpers, 2 * jumpers)


def small(**changes: Any) -> Intent:
    leaf = {**SN5600, "breakout": "2x400G", "uplink_breakout": "2x400G", "medium": "2xDR4", "cable_m": 30}
    spine = {**SN5600, "breakout": "2x400G", "medium": "2xFR4", "cable_m": 60, "oversubscription": 1}
    data = site(nics={"speed": "400G", "rails": 8, "model": "ConnectX-7"}, leaf=leaf, spine=spine)
    for path, value in changes.items():
        tier, _, key = path.partition("__")
        part = data.setdefault("bill", {}) if tier == "bill" else data["fabrics"]["compute"][tier]
        part[key] = value
    return intent_of(data)


def test_each_fibre_has_connector_grade_and_polarity() -> None:
    found = {(x.part.connector, x.part.fibre, x.part.polarity) for x in bill(small()).lines if x.part.kind == "jumper"}
    assert found == {("MPO-12/APC", "OS2", "B"), ("LC duplex/UPC", "OS2", "A-B")}


def test_four_legs_of_a_cage_need_two_splitters_and_400g_transceivers_at_the_nics() -> None:
    intent = small(leaf__breakout="4x200G", leaf__spare_legs="shut")
    hosts = intent.hosts["gpu"]
    slow = hosts.nics["compute"].model_copy(update={"speed": 200})
    group = hosts.model_copy(update={"nics": {"compute": slow}})
    found = lines(bill(intent.model_copy(update={"hosts": {"gpu": group}})))
    assert found["splitter", "OS2 1:2 splitter, MPO-12/APC", None, 30] == 16
    assert found["transceiver", "MMS4X00-NS", "OSFP", None] == 8
    assert found["transceiver", "400G-DR4", "OSFP or QSFP112", None] == 32


def test_a_faster_module_whose_fibres_fan_out_needs_one_splitter() -> None:
    data = site(leaf={"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S", "breakout": "4x100G"})
    data["fabrics"]["compute"]["leaf"] |= {"medium": "DR4", "cable_m": 50}
    data["hosts"]["gpu"]["nics"]["compute"] |= {"speed": "100G", "model": "ConnectX-7"}
    found = lines(bill(intent_of(data)))
    assert found["splitter", "OS2 1:4 splitter, MPO-12/APC to LC duplex", None, 50] == 8
    assert found["transceiver", "400G-DR4", "QSFP-DD", None] == 8
    assert found["transceiver", "100G, a leg of DR4", "OSFP or QSFP112", None] == 32


@pytest.mark.parametrize(
    ("leaf", "speed", "medium", "at_switch", "at_nic"),
    [
        pytest.param(D5, "100G", "DR4", "MPO-12/APC", "LC duplex", id="four-of-dr4"),
        pytest.param(SN5600, "400G", "DR8", "MPO-16/APC", "MPO-12/APC", id="two-of-dr8"),
        pytest.param(SN5600, "200G", "DR8", "MPO-16/APC", "not known", id="four-of-dr8"),
        pytest.param(D5, "100G", "SR4", "MPO-12/APC", "not known", id="four-of-sr4"),
    ],
)
def test_fibres_that_fan_out_have_the_connector_of_each_end(
    leaf: dict[str, str], speed: str, medium: str, at_switch: str, at_nic: str
) -> None:
    ways = (800 if leaf is SN5600 else 400) // int(speed[:-1])
    data = site(leaf={**leaf, "breakout": f"{ways}x{speed}", "medium": medium, "cable_m": 50})
    data["hosts"]["gpu"]["nics"]["compute"] |= {"speed": speed, "model": "ConnectX-7"}
    found = [x.part for x in bill(intent_of(data)).lines]
    connectors = {x.form_factor: x.connector for x in found if x.kind == "transceiver"}
    assert connectors == {"OSFP" if leaf is SN5600 else "QSFP-DD": at_switch, "OSFP or QSFP112": at_nic}
    (splitter,) = (x for x in found if x.kind == "splitter")
    assert splitter.connector == f"{at_switch} to {at_nic}"
    assert splitter.polarity == "not known"


def test_400g_optics_of_eight_lanes_are_neither_taken_nor_offered_for_a_nic_of_four() -> None:
    data = site(leaf={**D5, "medium": "SR8", "cable_m": 50}, spine={**D5, "medium": "SR8", "cable_m": 50})
    data["hosts"]["gpu"]["nics"]["compute"] |= {"speed": "400G", "model": "ConnectX-7"}
    with pytest.raises(
        DesignError, match=r"no 400G-SR8 fits ConnectX-7 \(400G as 4 x 100G\): it has 8 lanes"
    ) as caught:
        bill(intent_of(data))
    (problem,) = caught.value.problems
    assert problem.hint == "what would do over 50 m: VR4, SR4, DR4, FR4, LR4"
    data["fabrics"]["compute"]["leaf"]["medium"] = "SR4"
    optics = {each.part.part for each in bill(intent_of(data)).lines if each.part.kind == "transceiver"}
    assert optics == {"400G-SR4", "400G-SR8"}, "between switches of 8 x 50G they fit"


@pytest.mark.parametrize(("medium", "fibre"), [("SR", "OM4"), ("LR", "OS2")])
def test_hosts_at_25g_have_optics(medium: str, fibre: str) -> None:
    leaf = {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C93180YC-FX3", "medium": medium}
    data = site(leaf=leaf | {"cable_m": 100}, spine={"platform": "nvue", "release": "5.14", "model": "SN3700"})
    data["hosts"]["gpu"]["nics"]["compute"] |= {"speed": "25G"}
    found = bill(intent_of(data)).lines
    assert {each.part.part for each in found if each.part.kind == "transceiver"} == {f"25G-{medium}"}
    assert [each.part.part for each in found if each.part.kind == "jumper"] == [f"{fibre} jumper, LC duplex/UPC"]
    data["fabrics"]["compute"]["leaf"] |= {"medium": "SR", "cable_m": 101}
    with pytest.raises(DesignError, match="too long for SR at 25G"):
        bill(intent_of(data))


def test_an_optic_with_four_connectors_is_not_invented() -> None:
    data = site(leaf={**SN5600, "breakout": "4x200G", "medium": "DR4", "cable_m": 50})
    with pytest.raises(DesignError, match="DR4 does not carry 200G, 4 legs of a cage") as caught:
        design(intent_of(data), load_catalogue(), {name: each.facts for name, each in platforms().items()})
    assert "expected: 4x50G, 4x100G" in str(caught.value)
    assert "what would do over 50 m: SR8, DR8" in str(caught.value)


def assemblies(intent: Intent) -> dict[tuple[str, str | None], int]:
    return {(x.part.part, x.part.form_factor): x.count for x in bill(intent).lines if x.part.kind == "assembly"}


def test_assemblies_to_a_nic_that_nobody_declared_are_not_those_between_switches() -> None:
    data = site(leaf={**D5, "medium": "AOC", "cable_m": 10}, spine={**D5, "medium": "AOC", "cable_m": 10})
    data["hosts"]["gpu"]["nics"]["compute"]["speed"] = "400G"
    found = assemblies(intent_of(data))
    assert found == {("400G-AOC", "QSFP-DD to not declared"): 32, ("400G-AOC", "QSFP-DD"): 32}
    data["fabrics"]["compute"]["leaf"]["model"] = data["fabrics"]["compute"]["spine"]["model"] = "7060X6-64PE"
    data["hosts"]["gpu"]["nics"]["compute"]["model"] = "BlueField-3"
    assert ("400G-AOC", "OSFP to QSFP112") in assemblies(intent_of(data))


def test_assemblies_whose_medium_nobody_declared_are_told_apart_by_their_split() -> None:
    data = site(leaf={**D5, "breakout": "2x200G"}, spine={**D5, "uplink_speed": "200G"})
    assert {part for part, _ in assemblies(intent_of(data))} == {
        "400G-2x200G, medium not declared",
        "200G, medium not declared",
    }


def test_the_split_end_of_an_assembly_is_named_first() -> None:
    data = site(
        leaf={**SN5600, "uplink_breakout": "2x400G"},
        spine={"platform": "nvue", "release": "5.14", "model": "REF-128x400G", "medium": "AOC", "cable_m": 10},
    )
    assert ("800G-AOC-2x400G", "OSFP to QSFP112") in assemblies(intent_of(data))


def test_what_nobody_declared_is_a_cable_and_no_transceiver() -> None:
    found = bill(intent_of(site()))
    assert {x.part.kind for x in found.lines} == {"switch", "nic", "assembly", "label"}
    assert {x.part.part for x in found.lines if x.part.kind == "assembly"} == {
        "200G, medium not declared",
        "400G, medium not declared",
    }
    assert next(x for x in found.lines if x.part.kind == "nic").part.part == "NIC, model not declared"


def test_spares_are_rounded_up_line_by_line() -> None:
    found = bill(small(bill__spares_percent={"transceiver": 10, "jumper": 2.5}))
    there = {(x.part.kind, x.part.part): (x.count, x.spares, x.to_buy) for x in found.lines}
    assert there["transceiver", "MMS4X00-NS"] == (16, 2, 18)  # 1.6
    assert there["jumper", "OS2 jumper, MPO-12/APC"] == (32, 1, 33)  # 0.8
    assert there["switch", "SN5600"][1] == 0


def test_prices_and_power_have_columns_only_where_the_site_gives_them() -> None:
    assert {"price", "power_w"} & set(bill(small()).columns) == set()
    prices, spares = {"SN5600": 1000.5}, {"switch": 10.0}
    found = bill(small(bill__prices=prices, bill__spares_percent=spares, bill__currency="EUR"))
    assert found.currency == "EUR"
    assert "power_w" not in found.columns
    rows = {(row["kind"], row["part"]): row for row in found.rows()}
    assert rows["switch", "SN5600"]["price_of_all"] == 1000.5 * (10 + 1)
    assert {row["price"] for row in rows.values()} == {1000.5, None}
    found = bill(small(bill__power_w={"MMS4X00-NS": 17}, bill__spares_percent={"transceiver": 50}))
    row = next(row for row in found.rows() if row["part"] == "MMS4X00-NS")
    assert (row["power_w_of_all"], row["to_buy"]) == (17 * 16, 24)  # spares draw nothing


def test_a_price_of_something_that_is_not_built_in_is_refused() -> None:
    with pytest.raises(IntentError, match="the bill has no such part") as caught:
        bill(small(bill__prices={"SN5610": 1}))
    assert "SN5600" in str(caught.value)


def of_two_lengths(**given: Any) -> Intent:
    """Jumpers of 30 m to hosts and of 60 m to spines, otherwise alike."""
    return small(spine__medium="2xDR4", **given)


@pytest.mark.parametrize("key", ["prices", "power_w"])
def test_one_price_of_lines_that_differ_is_refused_with_the_name_of_each(key: str) -> None:
    jumper = "OS2 jumper, MPO-12/APC"
    with pytest.raises(IntentError, match="one figure for 2 lines of the bill, which differ") as caught:
        bill(of_two_lengths(**{f"bill__{key}": {jumper: 20}}))
    assert f"{jumper}, 30 m; {jumper}, 60 m" in str(caught.value)
    found = bill(of_two_lengths(**{f"bill__{key}": {f"{jumper}, 30 m": 20, f"{jumper}, 60 m": 30}}))
    figures = {x.part.length_m: x.price if key == "prices" else x.power_w for x in found.lines}
    assert (figures[30], figures[60]) == (20, 30)


def test_every_line_has_a_name_of_its_own_that_takes_a_price() -> None:
    data = site(leaf={**D5, "medium": "AOC", "cable_m": 10}, spine={**D5, "medium": "AOC", "cable_m": 10})
    data["hosts"]["gpu"]["nics"]["compute"]["speed"] = "400G"
    data["bill"] = {"prices": {"400G-AOC": 1}}
    with pytest.raises(IntentError) as caught:
        bill(intent_of(data))
    assert "400G-AOC, QSFP-DD; 400G-AOC, QSFP-DD to not declared" in str(caught.value)
    data["bill"] = {"prices": {"400G-AOC, QSFP-DD": 1, "400G-AOC, QSFP-DD to not declared": 2}}
    assert {x.price for x in bill(intent_of(data)).lines if x.part.kind == "assembly"} == {1, 2}


def test_no_pluggable_is_counted_twice() -> None:
    found = bill(small())
    assert Counter(x.part for x in found.lines).most_common(1)[0][1] == 1
    assert found.totals()["transceiver"] == 16 + 32 + 16 + 16

"""Each figure of `--explain`, worked out again from the fabric and the configurations by other means."""

import json
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from math import ceil
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.capacity.ecmp_hash_model import even, fullest
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.design.reports.explain import Figure
from nornir_tasks.design.reports.transceivers import optics
from nornir_tasks.files.site import load_site
from tests.intent_parts import figures
from tests.reference import reference
from tests.strategies import intent_of, rails, sites
from tests.unit.design import front
from tests.unit.design.test_drawing import site
from tests.unit.design.test_sites import ROOT

SITES = ("lab-rails", "lab-breakout", "ref-512", "ref-28672")


@cache
def all_figures(name: str) -> dict[str, Figure]:
    """The figures of a site of the inventory."""
    return figures(load_site(name).intent, site(name))


def check_sizes(network: Network, found: dict[str, Figure]) -> None:
    """Counts, ratio and limit, each from what the figure itself says it comes from and from the fabric."""
    tiers = {tier: [x for x in network.devices if x.role == tier] for tier in ("leaf", "spine", "core")}
    got, hosts = {name: dict(each.inputs) for name, each in found.items()}, len(network.hosts)
    size = got["leaves"]
    assert found["leaves"].value == len(tiers["leaf"])
    assert len(tiers["leaf"]) == ceil(size["hosts.gpu.count"] / size["hosts_per_group"]) * size["leaves_per_group"]
    assert found["leaf groups, laid out"].value == ceil(
        got["leaf groups, laid out"]["hosts.gpu.max"] / size["hosts_per_group"]
    )
    spines = got["spines"]
    assert found["spines"].value == len(tiers["spine"]) == spines["groups"] * spines["spines_per_group"]
    assert found["host links"].value == hosts * got["host links"]["hosts.gpu.nics.compute.rails"] == len(network.nics)
    assert found["fabric links"].value == sum(link.kind == "fabric" for link in network.links)
    assert found["optics, of the site"].value == optics(network)
    ratio = got["oversubscription"]
    down = ratio["host_ports"] * ratio["hosts.gpu.nics.compute.speed"]
    assert found["oversubscription"].value == pytest.approx(down / (ratio["uplinks"] * ratio["uplink_gbps"]))
    intended = got["uplinks of a leaf"]["fabrics.compute.spine.oversubscription"]
    assert down / (found["uplinks of a leaf"].value * ratio["uplink_gbps"]) <= intended + 1e-9
    limits = [got[name] | {"limit": each.value} for name, each in found.items() if name.startswith("prefix limit, ")]
    assert all(each["limit"] == ceil(1.5 * each["announced"]) for each in limits)
    assert len(limits) == sum(map(bool, tiers.values()))


@pytest.mark.parametrize("name", SITES)
def test_counts_ratio_and_prefix_limit_follow_from_the_numbers_beside_them(name: str) -> None:
    check_sizes(site(name), all_figures(name))


@given(sites())
@settings(max_examples=20, deadline=None)
def test_so_they_do_for_any_site(made: tuple[dict[str, Any], Network]) -> None:
    check_sizes(made[1], figures(intent_of(made[0]), made[1]))


@pytest.mark.parametrize("name", SITES)
def test_each_mtu_is_that_of_as_many_links_as_it_says(name: str) -> None:
    network = site(name)
    rows = [each for label, each in all_figures(name).items() if label.startswith("MTU,") and "links" in each.inputs]
    assert sum(each.inputs["links"] for each in rows) == len(network.links)
    for each in rows:
        assert each.value == min(value for key, value in each.inputs.items() if key != "links")
        kind = each.name.split()[1]
        assert (
            sum(x.use.mtu_bytes == each.value and x.link.kind == kind for x in network.circuits) >= each.inputs["links"]
        )


@pytest.mark.parametrize("name", SITES)
def test_address_blocks_and_as_numbers_hold_what_is_handed_out(name: str) -> None:
    network, found = site(name), all_figures(name)
    pools = {kind: IPv4Network(found[f"addresses, {kind}"].value) for kind in ("loopback", "links", "hosts")}
    for device in network.devices:
        assert IPv4Address(device.loopback) in pools["loopback"]
        first, _, last = str(found[f"ASN, {device.role}"].value).partition("-")
        assert int(first) <= device.asn <= int(last or first)
        for block in network.blocks_at(device.name).values():
            assert block.endswith(str(found["host block of a leaf"].value))
    for nic in rails(network):
        assert IPv4Address(nic.address) in IPv4Network(found[f"addresses, rail {nic.rail}"].value)
    for circuit in network.circuits:
        assert IPv4Address(circuit.upper_address) in pools["hosts" if circuit.link.kind == "host" else "links"]


@pytest.mark.parametrize("name", ["lab-rails", "lab-breakout"])
def test_what_depends_on_the_system_is_what_each_switch_is_configured_with(name: str) -> None:
    network, found, routes = site(name), all_figures(name), count_routes(site(name))
    for each in device_configs(network):
        device, config = network.device(each.config.name), each.config
        kind = f"{device.role} {device.model}, {device.os} {device.release}"
        assert found[f"ECMP width, {kind}"].value == config.bgp.maximum_paths
        assert found[f"BFD, {kind}"].value == f"{config.bfd.interval_ms} ms x {config.bfd.multiplier}"
        assert found[f"queue pairs in the hash, {kind}"].rule
        assert found[f"hash seed, {kind}"].value == (config.hashing.seed if config.hashing else "not settable")
        group = config.bgp.peer_groups[0]
        assert found["BGP keepalive/hold"].value == f"{group.keepalive_s}/{group.hold_s} s"
        far = network.device(config.bgp.neighbors[0].description.split()[0]).role
        assert found[f"prefix limit, from a {far}"].value == group.max_prefixes
        for queue in config.qos.profiles[0].queues:
            label = f"ECN, {kind}, queue {queue.number}"
            assert (label in found) == (queue.ecn is not None)
            if queue.ecn:
                assert str(found[label].value).startswith(f"{queue.ecn.min_bytes}-{queue.ecn.max_bytes} bytes")
        assert found[f"routes, {kind}"].value >= routes[device.name].total
        assert found[f"ECMP groups, {kind}"].inputs["widest"] >= routes[device.name].widest


@cache
def marking_per_switch() -> dict[str, Figure]:
    """The lab's rails, each kind of switch by its own thresholds."""
    wanted = yaml.safe_load((ROOT / "inventory/lab-rails/fabric.yml").read_text(encoding="utf-8"))
    wanted["policy"]["classes"]["roce"]["ecn"] = "per_switch"
    return figures(front.loaded(wanted), front.built(wanted))


@pytest.mark.parametrize(
    ("label", "speeds", "published", "begins_at"),
    [
        ("leaf N9K-C9332D-GX2B, nxos 10.4(3), queue 3", "400", 400, None),
        ("leaf N9K-C9332D-GX2B, nxos 10.4(3), queue 3, ports that mark as those of 100G", "200", 100, None),
        ("leaf 7060DX5-64S, eos 4.33.1F, queue 3", "200, 400", "every port", None),
        ("spine SN5600, nvue 5.14, queue 3", "400", "every port", 159_744),
    ],
)
def test_thresholds_of_ecn_say_for_which_speed_they_were_published_and_what_the_asic_makes_of_them(
    label: str, speeds: str, published: int | str, begins_at: int | None
) -> None:
    """NVIDIA's guide shows 159744 bytes on a Spectrum-4 that was told 150000."""
    found = marking_per_switch()
    inputs = found[f"ECN, {label}"].inputs
    assert (inputs["port_gbps"], inputs["published_for_gbps"]) == (speeds, published)
    assert inputs.get("begins_at_bytes") == begins_at


def test_a_speed_that_no_source_has_thresholds_of_is_named_with_what_stands_in() -> None:
    found = marking_per_switch()
    rule = found["ECN, leaf N9K-C9332D-GX2B, nxos 10.4(3), queue 3, ports that mark as those of 100G"].rule
    assert "no source has thresholds of cloudscale-gx2 for ports of 200G: these stand in" in rule
    assert "no source has any by length of cable" in rule


def test_what_no_source_has_for_an_asic_is_shown_with_its_reason() -> None:
    network = reference("lab-rails")
    found, realised = (
        figures(load_site("lab-rails").intent, network),
        {each.config.name: each for each in device_configs(network)},
    )
    eos, nxos = "leaf 7060DX5-64S, eos 4.33.1F", "leaf N9K-C9332D-GX2B, nxos 10.4(3)"
    assert "trident" in found[f"hash seed, {eos}"].rule
    assert "Trident II alone" in found[f"guaranteed bandwidth, {eos}"].rule
    assert "CL91" in found[f"FEC, {nxos}"].rule
    assert found[f"FEC, {nxos}"].inputs["ports"] == sum(
        port.layer1 is not None for port in realised["leaf-g1-r1"].config.interfaces
    )
    assert f"FEC, {eos}" not in found
    reasons = {name: {note.field: note.adjusted for note in each.adjustments} for name, each in realised.items()}
    assert reasons["leaf-g1-r0"]["hashing.seed"] == "not set"
    assert reasons["leaf-g1-r0"]["qos.queues.guaranteed"] == "not set"
    assert reasons["leaf-g1-r1"]["layer1.fec"] == "not set"
    assert not {"hashing.seed", "qos.queues.guaranteed", "layer1.fec"} & reasons["spine-1"].keys()


@pytest.mark.parametrize("name", SITES)
def test_every_figure_has_a_rule_and_goes_into_json(name: str) -> None:
    for each in all_figures(name).values():
        assert each.rule
        assert each.value not in (None, "")
        json.dumps([each.value, dict(each.inputs)])


def test_what_is_asked_of_the_fullest_uplink_follows_from_ports_paths_and_queue_pairs() -> None:
    found = {name: each for name, each in all_figures("ref-28672").items() if "fullest" in name}
    ring = found["asked of the fullest of all uplinks of leaves, ring"]
    got = all_figures("ref-28672")["uplinks of a leaf"]
    assert (ring.inputs["flows"], ring.inputs["paths"]) == (got.inputs["host_ports"], got.value)
    assert str(ring.value).startswith(f"{fullest(112, even(16), 256).expected:.2f} x its speed")
    assert "no vendor's hash is modelled" in ring.rule
    assert sum("if policy.queue_pairs" in name for name in found) == 4, "two patterns, two other numbers"
    assert not any("fullest" in name for name in all_figures("ref-512")), "one leaf of each rail: nothing goes up"

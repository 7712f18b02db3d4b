"""Several planes and groups of hosts on one fabric: leaves of their own, spines in common, and growth moves nothing."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest

from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.contribute import planes
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.choices import Choices, choose
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.layout.sections import sections
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.design.reports.explain import explain
from nornir_tasks.design.reports.moves import moves
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from tests.intent_parts import needs

SITE = (Path(__file__).parents[2] / "sites" / "fabrics" / "fabric.yml").read_text()
CATALOGUE = load_catalogue()
FACTS = {name: each.facts for name, each in platforms().items()}
TOYS = Path(__file__).with_name("toy_kinds")


def intended(folder: Path, *changes: tuple[str, str]) -> Intent:
    text = SITE
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file = folder / "fabric.yml"
    file.write_text(text)
    return load_intent(file)


@pytest.fixture(scope="module")
def intent(tmp_path_factory: pytest.TempPathFactory) -> Intent:
    return intended(tmp_path_factory.mktemp("site"))


def built(intent: Intent) -> Network:
    return design(intent, CATALOGUE, FACTS)


@pytest.fixture(scope="module")
def network(intent: Intent) -> Network:
    return built(intent)


def leaves(network: Network, plane: str) -> dict[str, Device]:
    return {each.name: each for each in network.devices if network.host_block(each.name, plane)}


def test_a_leaf_serves_one_group_on_one_plane(network: Network) -> None:
    served: dict[str, set[tuple[str, str]]] = {}
    for circuit in (each for each in network.circuits if each.link.kind == "host"):
        group = circuit.link.lower.device.rpartition("-")[0]
        served.setdefault(circuit.link.upper.device, set()).add((circuit.owner, group))
    assert {leaf: next(iter(who)) for leaf, who in served.items() if leaf.startswith("front")} == {
        "front-leaf-g1": ("data", "gpu"),
        "front-leaf-g2": ("data", "gpu"),
        "front-leaf-g3": ("data", "store"),
        "front-leaf-g9": ("archive", "store"),
    }
    assert all(len(who) == 1 for who in served.values())


def test_leaves_of_all_planes_are_spread_over_all_spines_of_their_fabric(network: Network) -> None:
    spines = {each.name for each in network.devices if each.fabric == "front" and each.level == 1}
    for leaf in (each for each in network.devices if each.fabric == "front" and each.level == 0):
        ups = Counter(link.upper.device for link in network.links_of(leaf.name) if link.kind == "fabric")
        assert set(ups) == spines
        assert len(set(ups.values())) == 1


def test_every_plane_has_addresses_of_its_own_pool_and_no_two_the_same(network: Network) -> None:
    seen: Counter[str] = Counter()
    for circuit in network.circuits:
        shared = circuit.use.segment is not None  # all hosts of a leaf have one gateway
        seen.update([circuit.lower_address] if shared else [circuit.upper_address, circuit.lower_address])
        if plane := network.planes.get(circuit.owner):
            pool = IPv4Network(plane.pools["hosts"])
            assert IPv4Address(circuit.upper_address) in pool
            block = network.host_block(circuit.link.upper.device, plane.name)
            assert IPv4Address(circuit.lower_address) in IPv4Network(str(block))
    assert max(seen.values()) == 1
    loopbacks = Counter(each.loopback for each in network.devices)
    asns = Counter(each.asn for each in network.devices if each.level == 0)
    assert (max(loopbacks.values()), max(asns.values())) == (1, 1)


def test_every_leaf_learns_what_all_other_planes_leaves_of_its_fabric_announce(network: Network) -> None:
    routes = count_routes(network)
    on_front = [each for each in network.devices if each.fabric == "front"]
    for leaf in (each for each in on_front if each.level == 0):
        assert routes[leaf.name].learned == 3 * 2 + 2  # two prefixes of each other leaf, one of each spine


@pytest.mark.parametrize(("old", "new"), [("    count: 2\n", "    count: 6\n"), ("    count: 4\n", "    count: 3\n")])
def test_growth_of_one_group_within_its_maximum_moves_no_cable_of_any(old: str, new: str, tmp_path: Path) -> None:
    now, then = built(intended(tmp_path)), built(intended(tmp_path, (old, new)))
    found = moves(now, then)
    assert set(found.counts) > {"add", "move"}
    assert found.counts["move"] == 0
    assert found.readdressed == ()


def test_leaves_that_say_their_first_group_keep_names_and_addresses_when_others_outgrow_their_maximum(
    network: Network, tmp_path: Path
) -> None:
    larger = built(intended(tmp_path, ("    max: 4\n", "    max: 8\n")))
    assert len(leaves(larger, "data")) == len(leaves(network, "data"))  # there now; laid out for more
    assert set(leaves(larger, "archive")) == {"front-leaf-g9"}
    before, after = network.device("front-leaf-g9"), larger.device("front-leaf-g9")
    assert (before.loopback, before.asn) == (after.loopback, after.asn)
    assert network.host_block(before.name, "archive") == larger.host_block(after.name, "archive")


def chosen(intent: Intent, count: int | None = None) -> list[Choices]:
    found = []
    for demand in demands(intent, kinds().planes):
        if demand.fabric_name == "front":
            spine = demand.fabric.spine.model_copy(update={"count": count})
            fabric = demand.fabric.model_copy(update={"spine": spine})
            found.append(choose(replace(demand, fabric=fabric), CATALOGUE, FACTS, intent.marks, ()))
    return found


@pytest.mark.parametrize("most", ["    max: 4\n", "    max: 40\n", "    max: 300\n"])
def test_no_other_number_of_spines_makes_a_cheaper_fabric(most: str, tmp_path: Path) -> None:
    far = ("        first_group: 9\n", "        first_group: 99\n")
    intent = intended(tmp_path, ("    max: 4\n", most), ("        per_group: 2\n", ""), far)
    best = sections(chosen(intent), intent.marks)
    cost = best[0].sizing.chosen
    assert len({(part.sizing.chosen.switches, part.layout.spines) for part in best}) == 1
    for count in (2, 3, 4, 6, 8):
        try:
            other = sections(chosen(intent, count), intent.marks)[0].sizing.chosen
        except DesignError:
            continue  # so many do not fit
        assert (cost.switches, cost.links, cost.optics) <= (other.switches, other.links, other.optics)


def test_each_part_keeps_the_declared_oversubscription(network: Network, intent: Intent) -> None:
    for name, fabric in network.fabrics.items():
        for part in fabric.parts:
            assert part.oversubscription <= intent.fabrics[name].spine.oversubscription
            assert part.sizing.chosen.capacity_after_loss >= intent.fabrics[name].spine.capacity_after_loss


def test_figures_are_told_apart_by_plane_and_group(network: Network, intent: Intent) -> None:
    found = explain(network, demands(intent, kinds().planes), count_routes(network))
    assert len({(each.plane, each.name) for each in found}) == len(found)
    assert {each.plane for each in found} == {"compute", "data, gpu", "data, store", "archive"}
    sizes = {each.plane: each.value for each in found if each.name == "leaves"}
    assert sizes == {"compute": 2, "data, gpu": 2, "data, store": 1, "archive": 1}


def test_each_group_is_told_of_its_own_planes(network: Network, intent: Intent) -> None:
    variables = host_vars(network, needs(intent), "store-2")
    rails = [(each.rail, each.name, each.address) for each in variables.rail_interfaces.rails]
    assert [name for _, name, _ in rails] == ["rail0", "archive0", "archive1"]
    assert variables.plane_guard.planes == {"data": ("rail0",), "archive": ("archive0", "archive1")}
    gpu = host_vars(network, needs(intent), "gpu-1").plane_guard.planes
    assert "archive" not in gpu


ON_EACH_SYSTEM = """\
      overrides:
        - {groups: [1, 9], platform: eos, release: 4.33.1F, model: 7060DX5-64S}
        - {groups: [2, 10], platform: nxos, release: "10.4(3)", model: N9K-C9332D-GX2B}
"""
ALIKE = "      overrides:\n        - {groups: [2], platform: eos, release: 4.33.1F, model: 7060DX5-64S}\n"
ONE_EACH = "        first_group: 9\n        per_group: 1\n"


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[Intent, Network]]:
    """The archive as a plane of another kind, with a leaf for each host: one of each system, as data has."""
    monkeypatch.setattr(planes, "__path__", [*planes.__path__, str(TOYS)])
    kinds.cache_clear()
    archive, alone = "  archive:\n    fabric: front\n    kind: compute\n", "        per_group: 2\n"
    changes = (
        (archive, archive.replace("compute", "files")),
        (ALIKE, ON_EACH_SYSTEM),
        (alone, "        per_group: 1\n"),
        ("        first_group: 9\n", ONE_EACH),
        ("    count: 2\n", "    count: 3\n"),
    )
    intent = intended(tmp_path, *changes)
    yield intent, built(intent)
    kinds.cache_clear()


def test_a_plane_of_another_kind_rides_beside_compute_on_every_system(beside: tuple[Intent, Network]) -> None:
    _, network = beside
    systems: dict[str, set[str]] = {"data": set(), "archive": set()}
    for each in device_configs(network):
        device = network.device(each.config.name)
        made = environment(device.os)
        plans = {
            plane: wanted(each.config, each.capabilities, each.claims, made, planes=plane and [plane])
            for plane in (None, *sorted(each.claims.planes))
        }
        for plane in network.blocks_at(device.name):
            if plane in systems:
                systems[plane].add(device.os)
        mine = [plan.tree for plane, plan in plans.items() if plane]
        lines = {line for tree in mine for line, _ in tree.walk()}
        assert lines == {line for line, _ in plans[None].tree.walk()}
        lists = [each.name for each in each.config.routing_policy.prefix_lists if each.name.startswith("ARCHIVE-")]
        assert lists == (["ARCHIVE-SEEN"] if network.host_block(device.name, "archive") else [])
        assert each.claims.by_name("ARCHIVE-SEEN") == ("archive" if device.fabric == "front" else None)
    assert systems == {"data": {"eos", "nxos", "nvue"}, "archive": {"eos", "nxos", "nvue"}}


def test_nic_ports_of_a_plane_that_gpus_do_not_talk_over_are_configured_and_never_among_nccls(
    beside: tuple[Intent, Network],
) -> None:
    intent, network = beside
    variables = host_vars(network, needs(intent), "store-1")
    assert [each.name for each in variables.rail_interfaces.rails] == ["rail0", "archive0", "archive1"]
    assert variables.nccl.rails == ("rail0",)

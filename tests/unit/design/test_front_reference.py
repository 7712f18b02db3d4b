"""Storage and business of the 28,672-GPU site: the figures below are worked out by hand, from ports alone.

Storage fabric, 3:1. A SN3700 has 32 cages. For GPU hosts (2 x 100G each, one port on each leaf of a pair) cages are
split in two, for storage nodes (2 x 200G) they are whole; a leaf has 2 peer links of 200G to the other of its pair.

- GPU pair with 8 uplinks of 200G: 22 cages for 44 hosts, 8 uplinks, 2 peer links: 32 cages. 44 x 100 / (8 x 200) is
  2.75. 3,584 hosts / 44 = 81.5: 82 pairs, 164 leaves.
- Storage pair with 8 uplinks: 22 hosts, 8 uplinks, 2 peer links: 32 cages. 22 x 200 / (8 x 200) = 2.75.
  128 nodes / 22 = 5.8: 6 pairs, 12 leaves.
- Spines are SN5600 with cages of 4 x 200G, 256 ports: 8 spines take one link of each of 176 leaves. With 6 spines (and
  uplinks) a GPU pair has 36 hosts, 100 pairs; with 7 it has 42, 86 pairs; with 9 also 42; with 4 there are 2 links to
  each spine, 352 for 256 ports. So 176 + 8 = 184 switches are the fewest.
- Links: 3,584 x 2 + 128 x 2 = 7,424 to hosts, 176 x 8 = 1,408 to spines, 88 x 2 = 176 between leaves of a pair.

Business fabric, 4:1. 48 hosts of 25G on a leaf of 48 ports; 1,200 / 4 = 300: 3 uplinks of 100G.

- 3,584 GPU hosts / 48 = 74.7: 75 pairs; 16 logins and 32 services share one; 48 hosts of interfaces have one; 96
  notebooks two; the two machines of the way out have one of their own: 80 pairs, 160 leaves.
- Spines are 7060DX5-64S with cages of 4 x 100G, 256 ports: 3 spines take one link of each leaf. 2 spines would take 4
  uplinks of each (3 do not spread evenly), 320 for 256 ports. 160 + 3 = 163 switches.
- Links: (3,584 + 16 + 32 + 48 + 96 + 2) x 2 = 7,556 to hosts, 160 x 3 = 480 to spines, 80 x 2 = 160 within pairs.

Storage demand. 1,500 GiB/s are 1,500 x 8.589934592 = 12,884.9 Gbit/s, a checkpoint of 60,000 GiB within 60 s 8,589.9.

- A storage node: 12,884.9 / 128 = 100.66 of 400 (25.2 %), of 200 with a leaf lost (50.3 %).
- Uplinks of a storage leaf: 100.66 x 22 / 2 = 1,107.3 of 1,600 (69.2 %); a leaf lost: 2,214.6 of 1,600 (138 %).
- A spine: 12,884.9 / 8 = 1,610.6 of 12 x 200 = 2,400 (67.1 %); a spine lost: 12,884.9 / 7 = 1,840.7 (76.7 %).
"""

import time
from collections.abc import Callable
from functools import cache

import pytest

from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.capacity.throughput import Failure, loads
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.usecases.site import SiteDesign, load


@cache
def site() -> SiteDesign:
    return load("ref-28672-front")


@pytest.mark.parametrize(
    ("fabric", "leaves", "spines", "host_links", "fabric_links", "peer_links", "ratio"),
    [
        ("compute", 256, 32, 28672, 4096, None, 7.0),
        ("storage", 176, 8, 7424, 1408, 176, 2.75),
        ("business", 160, 3, 7556, 480, 160, 4.0),
    ],
)
def test_the_reference_site_has_the_switches_and_links_that_were_worked_out_by_hand(
    fabric: str, leaves: int, spines: int, host_links: int, fabric_links: int, peer_links: int | None, ratio: float
) -> None:
    found = design_counts(site().network)["fabrics"][fabric]
    tiers = {role: each["switches"] for role, each in found["tiers"].items()}
    assert tiers == {"leaf": leaves, "spine": spines, "core": 0}
    assert (found["host_links"], found["fabric_links"], found.get("peer_links")) == (
        host_links,
        fabric_links,
        peer_links,
    )
    assert found["oversubscription"] == ratio


@pytest.mark.parametrize(
    ("purpose", "part", "lost", "needed", "has"),
    [
        ("loading", "ports of a host of storage", "", 100.66, 400),
        ("loading", "ports of a host of storage", "one leaf", 100.66, 200),
        ("loading", "uplinks of a leaf of storage", "", 1107.3, 1600),
        ("loading", "uplinks of a leaf of storage", "one leaf", 2214.6, 1600),
        ("loading", "uplinks of a leaf of storage", "one uplink", 1107.3, 1400),
        ("loading", "links of a spine to leaves of storage", "", 1610.6, 2400),
        ("loading", "links of a spine to leaves of storage", "one spine", 1840.7, 2400),
        ("loading", "ports of a host of gpu", "", 3.595, 200),
        ("loading", "uplinks of a leaf of gpu", "", 79.09, 1600),
        ("checkpoint", "uplinks of a leaf of storage", "", 738.2, 1600),
    ],
)
def test_the_storage_demand_of_the_reference_site_is_compared_with_each_part_as_worked_out_by_hand(
    purpose: str, part: str, lost: Failure, needed: float, has: float
) -> None:
    (found,) = (
        each
        for each in loads(site().network, site().demands)
        if (each.plane, each.purpose, each.part, each.lost) == ("storage", purpose, part, lost)
    )
    assert found.needed_gbps == pytest.approx(needed, rel=1e-3)
    assert found.has_gbps == has


def test_every_pair_has_its_own_subnet_gateway_and_two_leaves_with_addresses_of_it() -> None:
    network = site().network
    assert len(network.pairs) == 88 + 80
    assert len(network.segments) == 88 + 80
    assert len({each.subnet for each in network.segments}) == len(network.segments)
    for each in network.segments:
        addresses = [each.gateway, *(address for _, address in each.leaves)]
        assert len(set(addresses)) == 3
        assert [leaf for leaf, _ in each.leaves] == [f"{each.pair}-a", f"{each.pair}-b"]


def test_what_both_leaves_of_a_pair_announce_is_one_route_with_two_next_hops_on_spines() -> None:
    """A spine of storage: 176 leaves and itself by loopback, 88 blocks, 176 links; a leaf has 8 paths to all else."""
    counts = count_routes(site().network)
    spine, leaf = counts["data-spine-1"], counts["data-leaf-g1-a"]
    assert (spine.connected, spine.own, spine.learned) == (176, 1, 176 + 88)
    assert (spine.groups, spine.members, spine.widest) == (88, 176, 2)
    assert (leaf.own, leaf.learned, leaf.groups, leaf.widest) == (2, 175 + 8 + 87, 1, 8)


def test_every_switch_of_the_reference_site_is_realised(figure: Callable[[str], None]) -> None:
    begin = time.process_time()
    switches = sum(1 for _ in device_configs(site().network))
    figure(f"realised {switches} switches of ref-28672-front in {time.process_time() - begin:.1f} s of CPU")
    assert switches == 288 + 184 + 163

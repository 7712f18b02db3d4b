"""The out-of-band plane: no data plane reaches it, it is entered from the bastion alone, and what joins it."""

from dataclasses import replace
from functools import cache

import pytest

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.design.config.base import ManagementPort
from nornir_tasks.proofs.bmcs import bridges
from nornir_tasks.proofs.isolation import judge
from nornir_tasks.proofs.unsure import Unsure
from tests.unit.design import front_full
from tests.unit.design.out_of_band import designed, rails, with_out_of_band
from tests.unit.proofs import mutants
from tests.unit.proofs.random_sites import built, in_vrf
from tests.unit.proofs.site_proved import Site

ACCESS, OTHER = "oob-leaf-g1", "oob-leaf-g2"
SPINE, LEAF = "front-spine-1", "front-leaf-g1-a"


@cache
def clean() -> Site:
    return built(with_out_of_band(front_full.data()))


def opened(made: Site) -> dict[tuple[str, str], tuple[str, ...]]:
    """Pairs with an open way, and the lines of it. The packets shown arrive by these."""
    found = made.judged().failed
    for pair in found:
        for breach in pair.breaches:
            if breach.packet is not None and breach.kind == "open":
                arrivals = {made.group(host) for _, host in made.walked(pair.source, breach)}
                assert pair.destination.group in arrivals, breach
    return {(str(each.source), str(each.destination)): each.breaches[0].by for each in found}


def with_a_door(made: Site) -> Site:
    """Anybody, of this site too, reaches api by HTTPS, on both leaves."""
    anybody = AclRule(1, permit=True, protocol=6, destination_ports=(443, 443))
    for leaf in ("front-leaf-g3-a", "front-leaf-g3-b"):
        made = made.with_rules(leaf, "BUSINESS-V320-OUT", (anybody, *made.rules(leaf, "BUSINESS-V320-OUT")))
    return made


def test_every_pair_with_the_plane_is_judged_and_as_asked() -> None:
    found = clean().judged()
    assert (found.failed, found.undecided) == ((), ())
    pairs = {(str(each.source), str(each.destination)) for each in found.pairs}
    groups = ("bastion", "pdu", "gpu-bmc", "store-bmc", "login-bmc", "api-bmc", "switches")
    assert {("gpu on storage", f"{each} on oob") for each in groups} <= pairs
    assert {(f"{each} on oob", "api on business") for each in groups} <= pairs
    assert ("pdu on oob", "switches on oob") in pairs


def test_what_no_line_of_a_switch_says_is_said() -> None:
    assert clean().judged().assumed == tuple(
        f"BMCs of {group}-* {what}"
        for group in ("gpu", "store", "login", "api")
        for what in (
            "share no port with their hosts (NC-SI off)",
            "forward nothing between their hosts (KCS, USB-LAN) and the out-of-band plane",
        )
    )
    bare = clean().with_device(SPINE, interfaces=())
    unseen = "management ports of 1 switch are in a VRF of their own: none of the lines judged says which"
    assert bare.judged().assumed[-1] == unseen
    running = judge(bare.network, bare.configs, bare.guarded, None, Unsure({}, has_management=True))
    assert unseen not in running.assumed


def test_a_management_port_among_the_ports_of_a_leaf_opens_both_ways() -> None:
    port = next(each.port for each in clean().network.attached if each.host == LEAF)
    access = next(each.leaf for each in clean().network.attached if each.host == LEAF)
    assert opened(clean().with_port(LEAF, port, vrf=None)) == {}, "the lists of business refuse this site's own"
    found = opened(with_a_door(clean()).with_port(LEAF, port, vrf=None))
    assert found["switches on oob", "api on business"][0] == f"{LEAF} {port}: no access list in"
    assert found["gpu-bmc on oob", "api on business"][0] == f"{LEAF} {port}: no access list in"
    assert {one for one, other in found if other == "api on business"} <= {
        f"{each} on oob" for each in ("bastion", "pdu", "switches", "gpu-bmc", "store-bmc", "login-bmc", "api-bmc")
    }
    assert access in (ACCESS, OTHER)


@pytest.mark.parametrize(("vrf", "is_open"), [("MGMT", False), ("FRONT", True)])
def test_a_management_port_of_base_configuration_is_a_port_as_others_are(vrf: str, is_open: bool) -> None:
    data = front_full.data()
    in_vrf(data)
    made = built(with_out_of_band(data))
    port = next(each.port for each in made.network.attached if each.host == LEAF)
    config, at = made.configs[LEAF], made.network.management[LEAF]
    others = tuple(each for each in config.interfaces if each.name != port)
    base = replace(config.base, management=ManagementPort(vrf, at.interface, at.gateway))
    made = with_a_door(made).with_device(LEAF, interfaces=others, base=base)
    pairs = {(str(each.source), str(each.destination)) for each in made.judged().failed}
    assert (("switches on oob", "api on business") in pairs) == is_open
    assert not [each for each in made.judged().assumed if "management ports" in each]


def test_a_management_port_in_a_vrf_without_other_ports_is_no_way_whatever_it_is_called() -> None:
    port = next(each.port for each in clean().network.attached if each.host == LEAF)
    assert opened(clean().with_port(LEAF, port, vrf="ELSEWHERE")) == {}
    shut = clean().with_port(LEAF, port, vrf=None, enabled=False)
    assert opened(shut) == {}


def test_who_is_let_into_the_plane_beside_the_bastion_is_named() -> None:
    name, rules = "OOB-HOSTSV40-OUT", clean().rules(OTHER, "OOB-HOSTSV40-OUT")
    both = clean().with_rules(OTHER, name, (AclRule(1, permit=True), *rules))
    own = both.rules(ACCESS, "OOB-HOSTSV40-IN")
    found = opened(both.with_rules(ACCESS, "OOB-HOSTSV40-IN", (AclRule(1, True, 6), *own)))
    by = (f"{ACCESS} vlan40: rule 1 of OOB-HOSTSV40-IN", f"{OTHER} vlan40: rule 1 of OOB-HOSTSV40-OUT")
    assert found["pdu on oob", "switches on oob"] == by
    assert not [pair for pair in found if "on oob" not in pair[0]], "no route leads here from another plane"


def test_a_session_with_a_data_fabric_and_a_list_gone_let_a_data_plane_in() -> None:
    ends = next(((e.upper.device, e.upper.port), (e.lower.device, e.lower.port)) for e in clean().network.links
                if e.name == "spare-oob")  # fmt: skip
    joined = mutants.with_session(mutants.routed(clean(), ends), ends)
    assert not [pair for pair in opened(joined) if pair[1].endswith("on oob")], "its own lists refuse it"
    device, port = ends[1][0], "vlan40"
    bare = joined.with_port(device, port, acls=())
    leaf = bare.with_port(ends[0][0], "Vlan300", acls=())
    found = opened(leaf)
    assert found["gpu on business", "switches on oob"] == (
        f"{ends[0][0]} Vlan300: no access list in", f"{device} {port}: no access list out",
    )  # fmt: skip


@pytest.mark.parametrize(("host", "plane"), [("store-1", "storage"), ("gpu-1", "storage"), ("login-1", "business")])
def test_a_bmc_that_shares_a_port_with_its_host_joins_both_planes(host: str, plane: str) -> None:
    made = replace(clean(), shared_bmcs={host: plane}, before=clean())
    group = host.partition("-")[0]
    found = opened(made)
    assert found[f"{group} on {plane}", "pdu on oob"][0].endswith(f"are one by the BMC of {host}")
    assert ("switches on oob", f"{group} on {plane}") in found
    assert not [pair for pair in found if "on oob" not in "".join(pair)]


def test_a_dpus_port_beside_the_bmc_is_no_part_of_what_the_bmc_shares() -> None:
    data = with_out_of_band(rails())
    data["hosts"]["gpu"]["out_of_band"] = ["bmc", "dpu"]
    found = [*bridges(designed(data), {"gpu-1": "compute"})]
    assert [(host, cable.lower.device) for host, cable, _ in found] == [("gpu-1", "gpu-bmc-1")]


def test_a_shared_port_of_a_host_without_a_bmc_joins_nothing() -> None:
    assert opened(replace(clean(), shared_bmcs={"nobody-1": "storage"}, before=clean())) == {}

"""Rails of a host, now and after a boot, and the port of the leaf that each is cabled to."""

from pathlib import Path

from ruamel.yaml import YAML

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.rails import RULE_PRIORITY
from tests.unit.checks.host_mutants import rail, set_name
from tests.unit.checks.judged_host import judged
from tests.unit.checks.right_host import facts, variables


def test_the_way_to_the_hosts_of_the_same_subnet_is_judged_where_there_is_one() -> None:
    values = variables()
    shared = {"subnet": "10.168.0.0/23", "address": "10.168.0.2", "prefix_length": 23, "gateway": "10.168.0.1"}
    values["rail_interfaces_rails"][0].update(shared)
    found = facts()
    rail(found, 0).update(addresses=["10.168.0.2/23"])
    found["gpufabric_rails"]["rules"][0]["from"] = "10.168.0.2"
    found["gpufabric_gateways"]["rail0"]["answers"] = {"10.168.0.1": "02:00:00:00:00:01"}
    routes = found["gpufabric_rails"]["routes"]
    routes["main"] = [each | {"via": "10.168.0.1"} if each["dev"] == "rail0" else each for each in routes["main"]]
    routes["100"] = [each | {"via": "10.168.0.1"} for each in routes["100"]]
    (failed,) = judged(found, values).of(Verdict.FAIL)
    assert (failed.name, failed.wanted) == ("rail0 route of its subnet", "10.168.0.0/23 dev rail0")
    routes["100"].append({"to": "10.168.0.0/23", "via": None, "dev": "rail0"})
    assert judged(found, values).of(Verdict.FAIL) == ()


def test_rules_of_container_networks_are_none_of_a_rails_whatever_their_priority_and_table() -> None:
    found = facts()
    found["gpufabric_rails"]["rules"] += [
        {"priority": 1000, "from": "all", "table": "500", "selectors": [], "protocol": "0"},  # Spiderpool
        {"priority": 20001, "from": "10.0.2.0/24", "table": "101", "selectors": [], "protocol": "0"},
        {"priority": 111, "from": "10.169.0.1", "table": "11", "selectors": ["dst", "dstlen"], "protocol": "2"},
        {"priority": 30000, "from": "10.169.0.1", "table": "77", "selectors": [], "protocol": "0"},
    ]
    assert judged(found).of(Verdict.FAIL) == ()


def test_a_site_that_keeps_the_former_priority_of_rules_says_so_and_passes() -> None:
    found = facts()
    for number, rule in enumerate(found["gpufabric_rails"]["rules"]):
        rule["priority"] = 1000 + number
    assert judged(found, variables(rail_interfaces_rule_priority=1000)).of(Verdict.FAIL) == ()
    failed = judged(found).of(Verdict.FAIL)
    assert {each.knob for each in failed} == {"rule"}
    assert len(failed) == 8


def test_a_rule_stands_by_default_where_the_role_puts_it() -> None:
    defaults = Path(__file__).parents[3] / "roles/rail_interfaces/defaults/main.yml"
    values = YAML(typ="safe").load(defaults.read_text(encoding="utf-8"))
    assert values["rail_interfaces_rule_priority"] == RULE_PRIORITY


def test_a_hardened_host_passes_as_a_rails_own_filter_decides() -> None:
    found = facts()
    found["gpufabric_rails"]["sysctl"]["all"] = {"rp_filter": 1, "arp_ignore": 0, "arp_announce": 0}
    assert judged(found).of(Verdict.FAIL) == ()


def test_strict_arp_is_judged_where_rails_share_a_subnet() -> None:
    failed = judged(facts(), variables(rail_interfaces_arp_strict=True)).of(Verdict.FAIL)
    assert {each.knob for each in failed} == {"arp_ignore", "arp_announce"}
    assert len(failed) == 16


def test_link_local_addresses_are_named_where_rails_shall_have_none() -> None:
    assert not [each for each in judged(facts()).findings if each.knob == "link-local address"]
    values = variables(rail_interfaces_link_local=False)
    failed = judged(facts(), values).of(Verdict.FAIL)
    assert [(each.name, each.found) for each in failed][:1] == [("rail0 link-local address", "fe80::0/64")]
    assert len(failed) == 8
    without = facts()
    for number in range(8):
        rail(without, number).update(link_local=[])
    assert judged(without, values).passed


def test_a_rail_at_another_place_fails_in_all_it_should_have_had() -> None:
    found = facts()
    rail(found, 1).update(netdev=None, candidates=[])
    failed = judged(found).of(Verdict.FAIL)
    assert {each.name for each in failed} == {f"rail1 {knob}" for knob in (
        "name", "name after a boot", "link", "mtu_bytes", "address", "route of the rail", "route of its table", "rule",
        "rp_filter",
    )}  # fmt: skip


def test_what_renames_a_rail_at_the_next_boot_is_named_with_file_and_key() -> None:
    found = facts()
    found["gpufabric_rails"]["names"] = [set_name("rail1"), set_name("rail2", name="rail2"), set_name("ens3")]
    (failed,) = judged(found).of(Verdict.FAIL)
    assert failed.found == (
        "ens17 by netplan (/etc/netplan/50-cloud-init.yaml, line 9, network.ethernets.ens17.set-name)"
    )


def test_a_name_that_shows_at_boot_only_is_not_taken_for_right() -> None:
    found = facts()
    found["gpufabric_rails"]["names"] = [set_name("rail1", certain=False)]
    assert [each.name for each in judged(found).of(Verdict.ERROR)] == ["rail1 name after a boot"]
    found["gpufabric_rails"].update(names=[], names_unread=["/etc/netplan/60-a.yaml: is not YAML"])
    assert len(judged(found).of(Verdict.ERROR)) == 8


def test_two_swapped_rails_are_both_named_with_the_cables_to_swap() -> None:
    found = facts()
    gateways = found["gpufabric_gateways"]
    gateways["rail2"]["answers"], gateways["rail5"]["answers"] = (
        gateways["rail5"]["answers"],
        gateways["rail2"]["answers"],
    )
    failed = judged(found).of(Verdict.FAIL)
    assert [(each.name, each.found, each.why) for each in failed] == [
        ("rail2 gateway", "10.173.0.0 of rail5 answers", "swap the cables of rail2 and rail5"),
        ("rail5 gateway", "10.170.0.0 of rail2 answers", "swap the cables of rail5 and rail2"),
    ]


def test_three_rails_moved_in_a_ring_say_whose_port_each_is_in() -> None:
    found = facts()
    gateways = found["gpufabric_gateways"]
    moved = [gateways[name]["answers"] for name in ("rail1", "rail2", "rail0")]
    for name, answers in zip(("rail0", "rail1", "rail2"), moved, strict=True):
        gateways[name] = {"asked": True, "answers": answers}
    assert [each.why for each in judged(found).of(Verdict.FAIL)] == [
        f"its cable is in the port of rail{number}" for number in (1, 2, 0)
    ]


def test_a_rail_without_carrier_is_not_said_to_be_in_the_wrong_port() -> None:
    found = facts()
    found["gpufabric_gateways"]["rail1"] = {"asked": False, "answers": {}}
    assert [each.name for each in judged(found).of(Verdict.ERROR)] == ["rail1 gateway"]

"""Rows of the flow matrix whose packets end at the edge routers: which are named, and what takes a warning away."""

from ipaddress import ip_network
from itertools import product
from pathlib import Path

import pytest

from nornir_tasks.design.config.access_lists import TCP, AccessList
from nornir_tasks.design.contribute.edge_filters import from_inside, from_upstream
from nornir_tasks.design.hosts import edge_warnings
from nornir_tasks.design.hosts.boundary import boundary
from nornir_tasks.design.model.edge_policy import family_of
from nornir_tasks.files.site import resource
from nornir_tasks.usecases.site import SiteDesign, load
from tests.unit.design import edge_systems

EDGE = Path(__file__).parents[2] / "sites" / "edge" / "fabric.yml"
FLOWS = "  flows:\n"
OFFICE = '  networks: {office: [192.0.2.0/25, "2001:db8:500::/48"]}\n'
TO_API = "    - {source: office, destination: api, services: [https]}\n"
API_V6 = "boundary.flows[0]: edge routers let api send nothing out by IPv6"


def warned(site: SiteDesign) -> tuple[str, ...]:
    return edge_warnings.warnings(site.site.intent, site.network)


def changed(folder: Path, *changes: tuple[str, str]) -> tuple[str, ...]:
    """What tests/sites/edge is told with other lines."""
    text = EDGE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / "fabric.yml").write_text(text, encoding="utf-8")
    return warned(load(str(folder)))


def test_firewalls_let_nobody_reach_the_routers_loopbacks() -> None:
    site = load(str(EDGE.parent))
    wanted = boundary(site.site.intent, site.network)
    assert wanted is not None
    assert "10.252.0.0/31" in wanted.never["ipv4"]


def test_validators_that_are_asked_from_the_default_vrf_are_named(tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text(edge_systems.text_of("eos", signed=True), encoding="utf-8")
    named = [each for each in warned(edge_systems.design_of(tmp_path)) if "validators" in each]
    assert [each.partition(",")[0] for each in named] == ["boundary.edge.validators: 10.183.0.20"]
    (tmp_path / "fabric.yml").write_text(edge_systems.text_of("eos"), encoding="utf-8")
    assert not [each for each in warned(edge_systems.design_of(tmp_path)) if "validators" in each]


def test_who_has_addresses_of_his_own_reaches_nobody_outside_by_a_family_that_nobody_translates(tmp_path: Path) -> None:
    (line,) = changed(tmp_path)
    assert line.startswith(API_V6)
    assert "fd00:" in line


def test_what_is_published_at_addresses_of_which_no_upstream_is_told_is_named(tmp_path: Path) -> None:
    text = (resource("inventory") / "lab" / "fabric.yml").read_text(encoding="utf-8")
    for old, new in (
        ("203.0.113.64/27", "192.0.2.192/27"),
        ("203.0.113.7", "192.0.2.20"),
        ("203.0.113.90", "192.0.2.210"),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "fabric.yml").write_text(text, encoding="utf-8")
    found = {each.partition(", as")[0] for each in set(warned(load(str(tmp_path)))) - set(warned(load("lab")))}
    assert found == {
        "boundary.flows[1]: edge routers let dmz send nothing out by IPv4",
        "boundary.published.portal: no host outside reaches published.portal by IPv4",
        "boundary.published.transfer: no host outside reaches published.transfer by IPv4",
        "boundary.bastions: no host outside reaches bastions by IPv4",
    }


def test_nobody_outside_reaches_who_has_addresses_of_his_own(tmp_path: Path) -> None:
    found = changed(tmp_path, (FLOWS, OFFICE + FLOWS + TO_API))
    assert [each.partition(", as")[0] for each in found if "no host outside" in each] == [
        "boundary.flows[0]: no host outside reaches api by IPv4",
        "boundary.flows[0]: no host outside reaches api by IPv6",
    ]
    assert all("boundary.published" in each for each in found if "no host outside" in each)


def test_firewalls_without_edge_routers_of_the_site_are_not_judged() -> None:
    assert warned(load(str(EDGE.parents[1] / "boundary"))) == ()


@pytest.mark.parametrize("name", ["lab", str(EDGE.parent)])
def test_a_row_is_named_just_where_the_lists_of_a_router_refuse_its_packets(name: str) -> None:
    """The lists are walked here rule by rule; what is translated comes with an address of its pool."""
    site = load(name)
    wanted, terms = boundary(site.site.intent, site.network), site.network.edge
    assert wanted is not None
    assert terms is not None
    pools = {source: each.pool for each in wanted.egress for source in each.sources}
    inside = {link.family: from_inside("", terms, link, 0, None) for link in terms.inside_links}
    upstream = {each.family: from_upstream("", terms, each, None) for each in terms.outside_links[0].sessions}
    lines = warned(site)
    anybody = {"ipv4": "192.0.2.200", "ipv6": "2001:db8:500::200"}
    judged = set()
    for row, named in product(wanted.rows, wanted.named):
        for family, own in ((family, own) for family, prefixes in named.prefixes.items() for own in prefixes):
            address = str(ip_network(own)[0])
            if named.zone == row.source_zone and row.destination_zone == "outside" and _is_in(own, row.sources[family]):
                source = next((str(ip_network(pools[each])[0]) for each in pools if _is_in(own, [each])), address)
                passes = _passes(inside[family], source, anybody[family])
            elif row.source_zone == "outside" and named.zone == row.destination_zone:
                if not _is_in(own, row.destinations[family]):
                    continue
                passes = _passes(upstream[family], anybody[family], address)
            else:
                continue
            says = any(each.startswith(f"boundary.{row.name}:") and own in each for each in lines)
            assert says is not passes, (row.name, named.name, own)
            judged.add(passes)
    assert judged == {True, False}


def _passes(rules: AccessList, source: str, destination: str) -> bool:
    """TCP to a port that no rule names."""
    return next(
        each.permit
        for each in rules.rules
        if each.protocol in {None, TCP}
        and not each.established
        and each.source_ports is None
        and each.destination_ports is None
        and all(
            prefix is None or _is_in(address, [prefix])
            for prefix, address in ((each.source, source), (each.destination, destination))
        )
    )


def _is_in(one: str, others: "list[str] | tuple[str, ...]") -> bool:
    there = ip_network(one)
    return any(
        family_of(each) == family_of(one) and there.subnet_of(ip_network(each))  # type: ignore[arg-type]
        for each in others
    )

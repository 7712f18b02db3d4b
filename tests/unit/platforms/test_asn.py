"""AS numbers with a dot and without are one number, in every line that holds one and in no other."""

import pytest

from nornir_tasks.platforms import platform
from nornir_tasks.platforms.asn import plain_asns


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("router bgp 65166.10010", "router bgp 4270728986"),
        ("no router bgp 65166.10010", "no router bgp 4270728986"),
        ("remote-as 1.0", "remote-as 65536"),
        ("local-as 1.1 no-prepend replace-as", "local-as 65537 no-prepend replace-as"),
        ("neighbor 10.0.0.1 remote-as 65166.10010", "neighbor 10.0.0.1 remote-as 4270728986"),
        ("neighbor SPINES remote-as 0.100", "neighbor SPINES remote-as 100"),
        ("neighbor interface Et1 peer-group S remote-as 1.2", "neighbor interface Et1 peer-group S remote-as 65538"),
        (
            "bgp listen range 10.0.0.0/8 peer-group S remote-as 1.2",
            "bgp listen range 10.0.0.0/8 peer-group S remote-as 65538",
        ),
        ("set as-path prepend 1.0 65001 1.0", "set as-path prepend 65536 65001 65536"),
    ],
)
def test_a_number_with_a_dot_reads_as_its_value(line: str, plain: str) -> None:
    assert plain_asns(line) == plain


@pytest.mark.parametrize(
    "line",
    [
        "router bgp 65001",
        "neighbor 10.0.0.1 description remote-as 1.2",
        "description remote-as 1.2",
        "neighbor 10.0.0.1 peer group S",
        "router-id 10.0.0.1",
        "version 10.4",
        "remote-as 70000.1",
        "remote-as external",
        "network 10.0.0.0/8",
    ],
)
def test_any_other_line_stays_as_it_is(line: str) -> None:
    assert plain_asns(line) == line


EOS = """\
route-map COMPUTE-OUT permit 10
   set as-path prepend 64086.59905 64086.59905
router bgp {own}
   router-id 10.255.0.1
   neighbor COMPUTE-FABRIC peer group
   neighbor COMPUTE-FABRIC maximum-routes 10
   neighbor 10.160.0.1 peer group COMPUTE-FABRIC
   neighbor 10.160.0.1 remote-as {peer}
   address-family ipv4
      neighbor COMPUTE-FABRIC activate
"""
NXOS = """\
feature bgp
route-map COMPUTE-OUT permit 10
  set as-path prepend 64086.59905 64086.59905
router bgp {own}
  router-id 10.255.0.1
  template peer COMPUTE-FABRIC
    address-family ipv4 unicast
      maximum-prefix 10
  neighbor 10.160.0.1
    inherit peer COMPUTE-FABRIC
    remote-as {peer}
    address-family ipv4 unicast
"""


@pytest.mark.parametrize(
    ("os", "text", "asic", "release"),
    [("eos", EOS, "tomahawk4", "4.33.1F"), ("nxos", NXOS, "cloudscale-gx2", "10.4(3)")],
)
def test_a_process_and_its_neighbours_are_read_by_value(os: str, text: str, asic: str, release: str) -> None:
    known = platform(os)
    dotted, plain = text.format(own="64086.59905", peer="64086.59904"), text.format(own="4200000001", peer="4200000000")
    assert known.to_tree(dotted) == known.to_tree(plain)
    read = known.parse(known.to_tree(dotted), known.facts.capabilities(release, asic), "leaf", "model")
    assert read.config.bgp is not None
    assert read.config.bgp.asn == 4200000001
    assert [each.remote_as for each in read.config.bgp.neighbors] == [4200000000]
    assert read.config.routing_policy.route_maps[0].rules[0].prepend == (4200000001, 4200000001)

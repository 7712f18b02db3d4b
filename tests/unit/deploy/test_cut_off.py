"""What others have in the default VRF of a switch is not cut off by a list of its control plane without a word."""

from functools import cache

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import RefusedError
from tests.unit.design import fabric_listed
from tests.unit.design.wanted_of import wanted_of

HEARD = {
    "router bgp {asn}\n   neighbor 198.51.100.129 remote-as 64999": "BGP",
    "router bgp {asn}\n   neighbor 2001:db8::9 remote-as 64999": "BGP",
    "ntp server 198.51.100.7 prefer": "NTP",
    "ip name-server vrf default 198.51.100.8": "DNS",
    "radius-server host 198.51.100.9 key 7 071B245F5A": "RADIUS",
    "router ospf 100\n   router-id 198.51.100.1": "OSPF",
}
LET_IN = (
    "router bgp {asn}\n   neighbor 10.180.3.3 remote-as 64999",  # an address of the fabric's links
    "router bgp {asn}\n   vrf LEGACY\n      neighbor 198.51.100.129 remote-as 64999",
    "ntp server vrf MGMT 198.51.100.7",
    "radius-server host 198.51.100.9 vrf MGMT key 7 071B245F5A",
    "tacacs-server host 198.51.100.9 key 7 071B245F5A",
)


@cache
def leaf() -> Wanted:
    network = fabric_listed.network()
    return wanted_of(device_config(network, network.device("front-leaf-g1-a")), ())


def running(lines: str) -> str:
    assert leaf().config.bgp is not None
    return lines.format(asn=leaf().config.bgp.asn) + "\n"


@pytest.mark.parametrize("lines", HEARD)
def test_a_line_of_others_that_the_list_would_cut_off_is_refused_with_a_way_out(lines: str) -> None:
    with pytest.raises(RefusedError) as refused:
        device_plan(leaf(), running(lines), allow_management=True)
    (problem,) = refused.value.problems
    assert f"would refuse {HEARD[lines]} that others have" in problem.what
    assert problem.found.split(" / ")[0] == running(lines).splitlines()[0]
    assert "--adopt" in problem.hint


@pytest.mark.parametrize("lines", LET_IN)
def test_what_the_list_lets_in_or_never_meets_is_no_reason(lines: str) -> None:
    assert device_plan(leaf(), running(lines), allow_management=True).changes


@pytest.mark.parametrize("lines", HEARD)
def test_a_push_that_does_not_touch_the_list_goes_through(lines: str) -> None:
    here = leaf()
    whole = here.platform.to_text(here.tree)
    assert device_plan(here, whole, allow_management=True).changes == ()
    both = f"{whole}\n{running(lines)}"
    assert isinstance(device_plan(here, both, allow_management=True).changes, tuple)

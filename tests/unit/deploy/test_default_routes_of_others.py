"""A default route that somebody typed on a leaf of the way out: named beside ours, and never one of two."""

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import RefusedError
from tests.unit.design import front, front_full
from tests.unit.design.wanted_of import wanted_of

LINES = {
    "eos": "ip route 0.0.0.0/0 192.0.2.1",
    "nxos": "ip route 0.0.0.0/0 192.0.2.1",
    "nvue": "vrf: {default: {router: {static: {0.0.0.0/0: {via: {192.0.2.1: {type: ipv4-address}}}}}}}",
}
OF = {"eos": "gpu", "nxos": "store", "nvue": "login"}


def leaf(os: str) -> tuple[str, dict[str, object]]:
    data = front_full.data()
    plane = "business" if os == "nvue" else "storage"
    data["planes"]["business"].pop("dhcp_relay", None)
    del data["planes"]["business"]["default_route"]
    data["planes"][plane]["default_route"] = {"leaves_of": OF[os], "vlan": 390, "link": "10.190.0.0/28"}
    return front_full.DEVICES[os], data


@pytest.mark.parametrize("os", LINES)
def test_a_default_route_of_others_beside_ours_is_refused_with_both_lines(os: str) -> None:
    name, data = leaf(os)
    network = front.built(data)
    wanted = wanted_of(device_config(network, network.device(name)), ())
    with pytest.raises(RefusedError) as refused:
        device_plan(wanted, LINES[os])
    (problem,) = refused.value.problems
    assert "default route of others" in problem.what
    assert "192.0.2.1" in problem.found and "10.190.0.1" in problem.expected


@pytest.mark.parametrize("os", LINES)
def test_without_it_the_route_comes(os: str) -> None:
    name, data = leaf(os)
    network = front.built(data)
    wanted = wanted_of(device_config(network, network.device(name)), ())
    changes = device_plan(wanted, "" if os != "nvue" else "{}").changes
    assert any("0.0.0.0/0" in " ".join(each.path) and "10.190.0.1" in " ".join(each.path) for each in changes)

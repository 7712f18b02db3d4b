"""What a congestion profile decides on switches, on NICs and for NCCL, and what stands against Spectrum-X."""

from functools import cache
from typing import Any

import pytest

from nornir_tasks.design.hosts.host_needs import host_needs
from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from tests.intent_parts import demand
from tests.unit.design.front import loaded
from tests.unit.design.test_nearest import site

SPECTRUM4 = {"platform": "nvue", "release": "5.16", "model": "SN5400"}
PLACES = ["0000:00:10.0", "0000:00:11.0"]
SUPER_NIC = {"per_group": 8, "rails": 2, "speed": "200G", "model": "ConnectX-8", "at": PLACES}


def data(profile: str, **more: Any) -> dict[str, Any]:
    """Eight hosts with two rails on switches of Spectrum-4, with what the profile asks of classes."""
    shape: dict[str, Any] = {"hosts": {"count": 8, "max": 64}, "nics": SUPER_NIC, "leaf": SPECTRUM4}
    found = site(**{**shape, "spine": {**SPECTRUM4, "oversubscription": 1, "count": 2}, **more})
    policy = found["policy"]
    policy["congestion"] = profile
    policy["load_balancing"] = "per_packet" if profile == "spectrum_x" else "static"
    if profile == "pfc_only":
        del policy["classes"]["roce"]["ecn"]
        policy["classes"]["cts"] = policy["classes"].pop("cnp")
    if profile == "lossy":
        del policy["classes"]["roce"]["lossless"]
    return found


def built(wanted: dict[str, Any]) -> Network:
    return design(loaded(wanted), load_catalogue(), {name: each.facts for name, each in platforms().items()})


@cache
def network(profile: str) -> Network:
    return built(data(profile))


def of_a_host(profile: str) -> dict[str, Any]:
    intent = loaded(data(profile))
    return host_vars(network(profile), host_needs([demand(intent)], load_catalogue(), intent.marks), "gpu-1").ansible()


PROFILES = {
    # paused, marked, notified, adaptive routing, NVIDIA's algorithm, traffic class, clear-to-send
    "dcqcn": (True, True, True, False, None, 106, None),
    "pfc_only": (True, False, False, False, None, 104, 192),
    "lossy": (False, True, True, False, None, 106, None),
    "spectrum_x": (True, True, True, True, True, 106, None),
}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_says_the_same_to_switches_nics_and_nccl(profile: str) -> None:
    paused, marked, notified, adaptive, algorithm, traffic_class, clear_to_send = PROFILES[profile]
    for each in device_configs(network(profile)):
        qos = each.config.qos
        assert qos is not None
        assert {bool(one.pfc_priorities) for one in qos.profiles} == {paused}
        assert (qos.watchdog is not None) is paused
        assert any(queue.ecn for one in qos.profiles for queue in one.queues) is marked
        assert (each.config.load_balancing is not None) is adaptive
    host = of_a_host(profile)
    assert any(each["lossless"] for each in host["roce_qos_classes"]) is paused
    assert host["roce_qos_ecn"] is notified
    assert ("roce_qos_reorder_rails" in host) is adaptive
    assert host.get("roce_qos_spectrum_x") is algorithm
    assert (host["nccl_traffic_class"], host.get("nccl_fifo_traffic_class")) == (traffic_class, clear_to_send)


def test_clear_to_send_has_a_strict_queue_on_every_switch() -> None:
    for each in device_configs(network("pfc_only")):
        assert each.config.qos is not None
        (queue,) = {one.queue for one in each.config.qos.classes if 48 in one.dscp}
        assert all(one.strict for profile in each.config.qos.profiles for one in profile.queues if one.number == queue)


EOS = {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}
NXOS = {"platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A"}
SPECTRUM3 = {**SPECTRUM4, "model": "SN4700"}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"leaf": EOS}, "7060DX5-64S with eos 4.33.1F"),
        ({"leaf": NXOS}, "N9K-C9364D-GX2A with nxos 10.5(1)"),
        ({"leaf": SPECTRUM3}, "SN4700 with nvue 5.16"),
        ({"nics": {**SUPER_NIC, "model": "ConnectX-7"}}, "found: ConnectX-7"),
        ({"nics": {**SUPER_NIC, "model": "Thor2", "speed": "400G"}}, "found: Thor2"),
    ],
)
def test_what_cannot_do_spectrum_x_is_refused_by_name_with_what_it_can(change: dict[str, Any], named: str) -> None:
    with pytest.raises(DesignError) as caught:
        built(data("spectrum_x", **change))
    assert named in str(caught.value)
    assert "expected: dcqcn" in str(caught.value)

"""A leaf and two spines, NX-OS all of them, pushed and cabled: what they show of themselves is what was pushed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from described_lab import LabDescription, RunningLab

from nornir_tasks.design.config.bgp import Bfd
from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.drivers.nxos import session
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.platforms.nxos import PLATFORM
from nornir_tasks.platforms.observed import LldpNeighbor, Observed
from nornir_tasks.platforms.ownership import join, split
from tests.unit.platforms.nxos_examples import claims, leaf, rendered, spine

LEAF = leaf(hosts=1, uplinks=2)
PORTS = [f"Ethernet1/{number}" for number in range(1, 37)]


def matching_spine(number: int) -> DeviceConfig:
    """The far end of the leaf's uplink ``number``."""
    config = spine(1)
    assert config.bgp is not None
    port, loopback = config.interfaces
    near = f"10.160.0.{2 * number}/31"
    (neighbor,) = config.bgp.neighbors
    (group,) = config.bgp.peer_groups
    router_id = f"10.255.1.{number}"
    return replace(
        config,
        name=f"spine-{number}",
        services=("bfd", "bgp"),
        bfd=Bfd(300, 300, 3),
        interfaces=(replace(port, address=near), replace(loopback, address=f"{router_id}/32")),
        routing_policy=replace(
            config.routing_policy,
            prefix_lists=(
                PrefixList("COMPUTE-OWN", (PrefixRule(10, True, f"{router_id}/32"),)),
                PrefixList(
                    "COMPUTE-leaf-0", (PrefixRule(10, True, "10.168.0.0/24"), PrefixRule(20, True, "10.255.0.2/32"))
                ),
            ),
        ),
        bgp=replace(
            config.bgp,
            router_id=router_id,
            networks=(f"{router_id}/32",),
            peer_groups=(replace(group, bfd=True, route_map_out=None),),
            neighbors=(replace(neighbor, address=f"10.160.0.{2 * number + 1}", remote_as=4200000002),),
        ),
    )


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("nxos-live") / "lab")
    description.add_device(LEAF.name, "nxos", asic=LEAF.asic, asn=4200000002, ports=PORTS)
    for number in range(2):
        description.add_device(f"spine-{number}", "nxos", asic=LEAF.asic, asn=4200000000, ports=PORTS)
        description.add_cable((LEAF.name, f"Ethernet1/{33 + number}"), (f"spine-{number}", "Ethernet1/1"))
    description.hosts.append(
        {"name": "gpu-0", "port": "rail0", "switch": [LEAF.name, "Ethernet1/1"], "mtu_bytes": 9000}
    )
    return start_module_lab(description)


def endpoint(lab: RunningLab, name: str) -> Endpoint:
    (device,) = (each for each in lab.description.devices if each["name"] == name)
    return Endpoint(
        device=name,
        address=device["address"],
        api_port=device["api_port"],
        ssh_port=device["ssh_port"],
        username=lab.description.username,
        password=lab.description.password,
        ca_file=Path(lab.ca),
        fingerprint=None,
        known_hosts=Path(lab.known_hosts),
    )


def push(lab: RunningLab, config: DeviceConfig) -> None:
    opened = session(endpoint(lab, config.name))
    running = PLATFORM.to_tree(opened.read().text)
    parts = split(running, PLATFORM.ownership, claims(config))
    owned = join(part for owner, part in parts.items() if owner is not None)
    made = PLATFORM.candidate(running, owned, PLATFORM.canonical(PLATFORM.to_tree(rendered(config))))
    if made.changes:
        assert opened.stage(made).changes == frozenset(made.changes)
        opened.confirm(opened.commit(60))
    opened.close()


@pytest.fixture(scope="module")
def seen(lab: RunningLab) -> Observed:
    for config in (LEAF, matching_spine(0), matching_spine(1)):
        push(lab, config)
    opened = session(endpoint(lab, LEAF.name))
    found = opened.observe()
    opened.close()
    return found


def test_sessions_are_up_and_count_their_prefixes(seen: Observed) -> None:
    assert [(each.vrf, each.address, each.remote_as, each.established) for each in seen.bgp] == [
        (None, "10.160.0.0", 4200000000, True),
        (None, "10.160.0.2", 4200000000, True),
        ("LEGACY", "172.30.255.9", 64999, False),  # somebody else's
    ]
    assert all(each.prefixes_received for each in seen.bgp if each.vrf is None)


def test_the_far_ends_are_named_as_they_name_themselves(seen: Observed) -> None:
    cabled = [each for each in seen.lldp if each.port.startswith("Ethernet1/3")]
    assert cabled == [
        LldpNeighbor("Ethernet1/33", "spine-0", "Ethernet1/1"),
        LldpNeighbor("Ethernet1/34", "spine-1", "Ethernet1/1"),
    ]


def test_routes_of_bgp_alone_are_counted(seen: Observed) -> None:
    assert dict(seen.routes) == {(None, "10.255.1.0/32"): 1, (None, "10.255.1.1/32"): 1}


def test_ports_tell_their_state_and_mtu(seen: Observed) -> None:
    ports = {each.name: each for each in seen.ports}
    for port in LEAF.interfaces:
        assert ports[port.name].admin_up is port.enabled
        assert ports[port.name].oper_up
        assert port.mtu_bytes in (None, ports[port.name].mtu_bytes)


def test_qos_is_read_back_as_pushed(seen: Observed) -> None:
    assert LEAF.qos is not None
    profiles = {profile.name: profile for profile in LEAF.qos.profiles}
    by_port = {each.port: each for each in seen.qos}
    for port in LEAF.interfaces:
        if port.qos_profile is not None:
            found, profile = by_port[port.name], profiles[port.qos_profile]
            marks = tuple((queue.number, queue.ecn) for queue in profile.queues if queue.ecn is not None)
            assert (found.trust_dscp, found.pfc_priorities, found.watchdog, found.ecn) == (
                True,
                profile.pfc_priorities,
                profile.watchdog,
                marks,
            )
    expected = {dscp: each.priority for each in LEAF.qos.classes for dscp in each.dscp}
    assert seen.dscp_to_priority == tuple(expected[dscp] for dscp in range(64))


def test_observing_is_one_connection(lab: RunningLab) -> None:
    before = lab.control.ask("requests")[LEAF.name]
    opened = session(endpoint(lab, LEAF.name))
    opened.observe()
    opened.close()
    after = lab.control.ask("requests")[LEAF.name]
    assert (after["connections"] - before["connections"], after["requests"] - before["requests"]) == (1, 1)

"""Link aggregation groups as the design has them: what is refused, what members have of their group, who owns it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.contribute.merge import Contribution
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.realise import lag
from nornir_tasks.errors import DesignError
from tests.unit.design.bundled import BOOT, DEVICES, KIND, ROUTED, TRUNK, bundled, group, members, realised, with_kinds

DEVICE = DEVICES["eos"]


def known() -> Capabilities:
    return bundled().device(DEVICE).capabilities


GROUP = "Port-Channel1"
PORTS = {
    GROUP: PartialPort(access_vlan=10, mtu_bytes=9000, profile="fabric", edge=True, lag=Lag("fast")),
    "Ethernet1/1": PartialPort(True, member_of=GROUP),
    "Ethernet2/1": PartialPort(True, member_of=GROUP),
}


def refused(ports: dict[str, PartialPort], capabilities: Capabilities | None = None) -> list[str]:
    found = lag.problems("leaf", PartialConfig(ports=ports), capabilities or known())
    return [f"{each.where}: {each.what}" for each in found]


def with_lag(**changes: object) -> dict[str, PartialPort]:
    return {**PORTS, GROUP: replace(PORTS[GROUP], lag=replace(Lag("fast"), **changes))}


def test_a_sound_group_is_not_refused() -> None:
    assert refused(PORTS) == []


@pytest.mark.parametrize(
    ("ports", "what"),
    [
        ({"bond1": PORTS[GROUP]}, "no link aggregation group can be called so"),
        ({"Port-Channel2001": PORTS[GROUP]}, "no link aggregation group can be called so"),
        ({GROUP: PORTS[GROUP]}, "a link aggregation group has no members"),
        ({"Ethernet1/1": PartialPort(member_of=GROUP)}, "a port is a member of a group that no owner declares"),
        (
            {**PORTS, "Ethernet2/1": PartialPort(address="10.0.0.0/31", member_of=GROUP)},
            "a member has settings that are its group's",
        ),
        (
            {**PORTS, GROUP: PartialPort(address="10.0.0.0/31", lag=Lag("slow", individual=True))},
            "members of a routed link aggregation group cannot work individually",
        ),
        (with_lag(min_links=3), "a group would never have so many active members"),
    ],
)
def test_what_cannot_work_is_refused_by_name(ports: dict[str, PartialPort], what: str) -> None:
    assert what in " ".join(refused(ports))


def test_an_os_without_groups_or_without_a_least_number_of_members_refuses_them_with_its_reason() -> None:
    without = replace(known(), lag_prefix="", lag_gap="nobody wrote it")
    assert refused(PORTS, without) == [
        f"leaf {name}: no link aggregation group can be configured: nobody wrote it" for name in PORTS
    ]
    (problem,) = refused(with_lag(min_links=1), replace(known(), max_min_links=None, min_links_gap="the manual"))
    assert "least number of members cannot be configured: the manual" in problem


@pytest.mark.parametrize(
    "more",
    [
        {"acls": {("ipv4", "in"): "STORAGE-IN"}},
        {"ipv6_address": "2001:db8::1/64"},
        {"gateway": Gateway("10.0.0.254")},
        {"vrf": "STORAGE"},
    ],
)
def test_lists_addresses_and_gateways_are_the_groups_and_refused_on_a_member(more: dict[str, object]) -> None:
    member = replace(PORTS["Ethernet2/1"], **more)  # type: ignore[arg-type]
    (problem,) = refused({**PORTS, "Ethernet2/1": member})
    assert problem == "leaf Ethernet2/1: a member has settings that are its group's"


def test_two_planes_that_would_join_the_links_to_two_hosts_in_one_group_are_refused_with_both() -> None:
    def parts(storage: str, business: str) -> list[Contribution]:
        return [
            Contribution(
                Owner(name, "plane", f"{name.upper()}-"),
                "leaf",
                PartialConfig(ports={GROUP: PORTS[GROUP], port: PartialPort(member_of=GROUP)}),
            )
            for name, port in (("storage", storage), ("business", business))
        ]

    assert not [*lag.disagreements("leaf", parts("Ethernet1/1", "Ethernet1/1"))]
    (problem,) = lag.disagreements("leaf", parts("Ethernet1/1", "Ethernet2/1"))
    assert (problem.where, problem.expected, problem.found) == (
        f"leaf {GROUP}",
        "business: Ethernet2/1",
        "storage: Ethernet1/1",
    )


def test_a_switch_whose_planes_put_different_ports_into_one_group_is_refused() -> None:
    def wanted(site: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
        for each in KIND.partial_configs(site, plane, device):
            ports = dict(each.ports or {})
            if plane.name == "storage" and group(device, TRUNK) in ports:
                del ports[members(device.name, TRUNK)[0]]
            yield replace(each, ports=ports)

    among = with_kinds().with_plane("storage", replace(KIND, partial_configs=wanted))
    with pytest.raises(DesignError, match="different ports into one link aggregation group"):
        device_config(bundled(), bundled().device(DEVICE), among=among)


def test_a_groups_mtu_is_adjusted_as_a_single_ports_with_the_same_reason() -> None:
    for name, limit in (("eos", "checks what it routes"), ("nxos", "the jumbo MTU of the whole switch")):
        notes = realised(DEVICES[name]).adjustments
        named = group(bundled().device(DEVICES[name]), TRUNK)
        (note,) = (each for each in notes if each.field == f"interfaces.{named}.mtu_bytes")
        assert limit in note.reason


@pytest.mark.parametrize(
    ("repeated", "individual", "vlan", "mtu_bytes"),
    [
        ("never", True, None, None),
        ("individual", False, None, None),
        ("individual", True, 10, None),
        ("always", False, 10, 9000),
    ],
)
def test_members_have_of_their_group_what_their_os_needs(
    repeated: str, *, individual: bool, vlan: int | None, mtu_bytes: int | None
) -> None:
    capabilities = replace(known(), lag_repeated=repeated, access_mtu="any")  # type: ignore[arg-type]
    member = lag.spread(with_lag(individual=individual), capabilities)["Ethernet1/1"]
    assert (member.access_vlan, member.mtu_bytes, member.profile) == (vlan, mtu_bytes, "fabric")


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_each_group_is_its_planes_and_a_shared_one_the_fabrics(device: str) -> None:
    claims, site = realised(device).claims, bundled()
    owners = {number: claims.by_port(group(site.device(device), number)) for number in (TRUNK, BOOT, ROUTED)}
    assert owners == {TRUNK: claims.fabric, BOOT: "storage", ROUTED: "business"}
    assert {claims.by_port(port) for port in members(device, TRUNK)} == {claims.fabric}


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_queues_and_pause_are_the_members_and_the_groups_only_where_the_os_has_them_there(device: str) -> None:
    ports, site = {port.name: port for port in realised(device).config.interfaces}, bundled()
    for number in (TRUNK, BOOT, ROUTED):
        of_group = ports[group(site.device(device), number)].qos_profile
        assert (of_group is None) == (site.device(device).capabilities.lag_profile_on == "members")
        assert all(ports[name].qos_profile for name in members(device, number))

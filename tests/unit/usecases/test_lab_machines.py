"""Which hosts the lab can bring up as machines, and what it has at the other ends of their cables."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from nornir_tasks.errors import LabError
from nornir_tasks.files.site import state_directory
from nornir_tasks.lab.machines.manager import Machines
from nornir_tasks.lab.machines.plan import MachinePlan
from nornir_tasks.usecases.lab.machines import machine_plans, refuse_bonded
from nornir_tasks.usecases.site import SiteDesign, load
from tests.svi import SITE

FRONT = Path(__file__).parents[2] / "sites" / "front"
HOSTS = 6
"""Two with rails and a bond, two for storage, two for services."""


def front(tmp_path: Path, **changes: str) -> SiteDesign:
    """The site with NIC ports where machines have room, and these words exchanged."""
    text = (FRONT / "fabric.yml").read_text(encoding="utf-8")
    places = {'"0000:18:00.0", "0000:29:00.0"': '"0000:00:10.0", "0000:00:11.0"'}
    places |= {f'"0000:{bus}:00.0", "0000:{bus}:00.1"': '"0000:00:18.0", "0000:00:19.0"' for bus in ("3a", "18")}
    for old, new in {**places, **changes}.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "fabric.yml").write_text(text, encoding="utf-8")
    return load(tmp_path)


def plans(tmp_path: Path, count: int = HOSTS, **changes: str) -> dict[str, MachinePlan]:
    return {each.name: each for each in machine_plans(front(tmp_path, **changes), count)}


def test_hosts_of_a_site_with_an_out_of_band_plane_have_no_nics_for_its_ports() -> None:
    design = load("lab")
    found = machine_plans(design, len(design.network.hosts))
    assert [each.name for each in found] == list(design.network.hosts)


def test_machines_on_a_site_with_a_vlan_are_refused_with_what_would_do() -> None:
    design = load(SITE)
    assert machine_plans(design, 0) == ()
    with pytest.raises(LabError) as refused:
        machine_plans(design, 1)
    (problem,) = refused.value.problems
    assert (problem.expected, problem.found) == ("link: p2p or subnet/N", "link: svi, VLAN 200")
    assert "fabric.yml:" in problem.where


def test_nic_ports_beyond_a_machines_pci_bus_are_refused_all_at_once_each_with_its_line() -> None:
    with pytest.raises(LabError) as refused:
        machine_plans(load(FRONT), 1)
    text = (FRONT / "fabric.yml").read_text(encoding="utf-8").splitlines()
    lines = [1 + number for number, line in enumerate(text) if "0000:29:00.0" in line or "0000:3a:00.0" in line]
    found = [(int(each.where.rpartition(":")[2]), each.found) for each in refused.value.problems]
    places = ("0000:18:00.0", "0000:29:00.0"), ("0000:3a:00.0", "0000:3a:00.1")
    assert found == [(line, place) for line, among in zip(lines, places, strict=True) for place in among]


def test_only_what_the_asked_hosts_have_is_refused(tmp_path: Path) -> None:
    change = {'port_names: data, at: ["0000:00:18.0"': 'port_names: data, at: ["0000:81:00.0"'}
    there = front(tmp_path, **change)
    assert len(machine_plans(there, 2)) == 2
    with pytest.raises(LabError, match=r"0000:81:00\.0"):
        machine_plans(there, 3)


def test_a_host_with_rails_and_a_bond_has_the_nics_of_both(tmp_path: Path) -> None:
    plan = plans(tmp_path)["gpu-1"]
    ends = {each.name: (each.slot, each.leaf_address, each.speed_mbps) for each in plan.nics}
    assert ends == {
        "rail0": (0x10, "10.168.0.0/31", None),
        "rail1": (0x11, "10.172.0.0/31", None),
        "front0": (0x18, "", 25000),
        "front1": (0x19, "", 25000),
        "site": (4, "192.0.2.0/31", None),
    }


def test_a_bond_carries_its_planes_with_the_gateways_that_hosts_have(tmp_path: Path) -> None:
    (bond,) = plans(tmp_path)["gpu-1"].bonds
    assert (bond.name, bond.members, bond.is_fast) == ("front", ("front0", "front1"), True)
    assert [(each.tag, each.gateways) for each in bond.vlans] == [
        (None, ("10.176.0.1/25",)),
        (300, ("10.177.0.1/25",)),
    ]
    assert [each.mtu_bytes for each in bond.vlans] == [9214, 9214], "of the leaf, EOS, which is not the host's"


def test_hosts_of_one_pair_share_its_system_and_vlans_and_no_key_and_other_pairs_share_nothing(tmp_path: Path) -> None:
    found = plans(tmp_path)
    one, two, other = (found[name].bonds[0] for name in ("gpu-1", "gpu-2", "storage-1"))
    assert (one.system, one.vlans) == (two.system, two.vlans)
    assert one.key != two.key
    assert one.system != other.system
    assert not {each.name for each in one.vlans} & {each.name for each in other.vlans}
    assert all(len(vlan.name) <= 15 for plan in found.values() for vlan in plan.bonds[0].vlans)


def test_hosts_without_rails_have_their_bond_alone(tmp_path: Path) -> None:
    assert [each.name for each in plans(tmp_path)["storage-2"].nics] == ["data0", "data1", "site"]


def test_a_slow_rate_of_the_intent_is_the_pairs(tmp_path: Path) -> None:
    change = {"port_names: data, at": "port_names: data, bond: {rate: slow}, at"}
    assert not plans(tmp_path, **change)["storage-1"].bonds[0].is_fast


def test_members_known_by_their_macs_have_these_macs(tmp_path: Path) -> None:
    change = {"interfaces: {oob: [eno1]}": "interfaces: {}"}
    macs = 'exceptions: {storage-1: {0: "0c:42:a1:00:00:10", 1: "0c:42:a1:00:00:11"}}'
    change["port_names: data, at"] = f"port_names: data, {macs}, at"
    found = plans(tmp_path, **change)["storage-1"]
    assert [each.mac for each in found.nics[:2]] == ["0c:42:a1:00:00:10", "0c:42:a1:00:00:11"]


@pytest.mark.parametrize("cable", ["front-leaf-g1-a-h1", "front-leaf-g1-b-h1"])
def test_cables_of_a_machines_bond_are_not_swapped(cable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))
    plan = plans(tmp_path, 1)["gpu-1"]
    machine = state_directory(tmp_path) / "lab" / "machines" / plan.name
    machine.mkdir(parents=True)
    (machine / "machine.json").write_text(json.dumps({"plan": asdict(plan), "image": "", "port": 1}), encoding="utf-8")
    machines, network = Machines(state_directory(tmp_path)), load(tmp_path).network
    with pytest.raises(LabError, match="this cable is of a bond of a machine"):
        refuse_bonded(machines, network, {cable})
    refuse_bonded(machines, network, {"leaf-g1-r0-h1"})  # a rail's

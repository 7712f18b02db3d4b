"""site.yml goes wave by wave and stops at the first wave that fails: the real playbooks, with roles that take notes.

Hosts are names with a local connection, so that nothing is changed anywhere; roles are exchanged for ones that write
down which host they ran on, and fail where the test wants it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

CHECKOUT = Path(__file__).parents[3]
HOSTS = [f"gpu-{number}" for number in range(1, 7)]
"""As few as waves of one, of four and of the rest need: each task of each host costs 40 ms of processor."""
EIGHT = [f"gpu-{number}" for number in range(1, 9)]
"""As few as a wave of a quarter needs, if it is not to be of one host."""
NOTES = """\
- name: Take a note, and fail where the test wants it
  ansible.builtin.debug:
    msg: "note: ROLE {{ inventory_hostname }}{{ ': ROLE says no' if __fails }}"
  failed_when: __fails | bool
  vars:
    __fails: "{{ inventory_hostname in (failing | default({})).get('ROLE', []) }}"
"""
"""One task: each costs a process for each host, and a test has up to 200 of them."""
NOTE = re.compile(r'^ +"msg": "note: (\w+ [\w-]+)', re.MULTILINE)
"""As the role printed it: what fails is quoted once more by who judges the host."""
NEEDS_A_REBOOT = """\
- name: Need a reboot
  ansible.builtin.set_fact:
    gpufabric_reboot_reasons: "{{ reasons }}"
"""
REFUSES = """\
- name: Refuse where the test wants it
  ansible.builtin.fail:
    msg: ROLE refuses
  when: inventory_hostname in (refusing | default({})).get('ROLE', [])
"""
EXCHANGES = {
    f"{part}.yml": f"""\
- name: Take a note
  ansible.builtin.debug:
    msg: "note: {part} {{{{ inventory_hostname }}}}"
"""
    for part in ("back", "keep")
}
"""What becomes of a driver stack that came with the run."""
FORESEES = """\
- name: Foresee a disturbance where the test wants it, or fail to
  ansible.builtin.set_fact:
    gpufabric_disturbances: ["ROLE: {{ (disturbing | default({})).get('ROLE', [])[inventory_hostname] }}"]
  when: inventory_hostname in (disturbing | default({})).get('ROLE', [])
"""


def roles() -> list[str]:
    """What the GPU hosts' play runs, in order."""
    return [*roles_of("compute_hosts.yml"), "host_validate"]


def roles_of(playbook: str, group: str = "") -> list[str]:
    """The roles of a playbook's plays, or of those for a group."""
    plays = yaml.safe_load((CHECKOUT / "playbooks" / playbook).read_text())
    plays = [play for play in plays if not group or group in play.get("hosts", "").split(":")]
    return [each["role"].removeprefix("gpufabric.host.") for play in plays for each in play.get("roles", ())]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The playbooks as they are, beside roles that take notes and an inventory of GPU hosts."""
    shutil.copy(CHECKOUT / "site.yml", tmp_path)
    shutil.copytree(CHECKOUT / "playbooks", tmp_path / "playbooks")
    collection = tmp_path / "ansible_collections/gpufabric/host"
    for role in (each.name for each in (CHECKOUT / "roles").iterdir()):
        (collection / "roles" / role / "tasks").mkdir(parents=True)
        for file, tasks in {
            "main.yml": NOTES,
            "assert.yml": REFUSES,
            "foresee.yml": FORESEES,
            **EXCHANGES,
        }.items():
            (collection / "roles" / role / "tasks" / file).write_text(tasks.replace("ROLE", role))
    (collection / "plugins").symlink_to(CHECKOUT / "plugins")
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    local["bond_interfaces_bonds"] = [{"name": "data"}]  # else its role is left out
    local["egress_client_nameservers"] = []  # the same
    local["node_health_enabled"] = True  # the same
    groups = {"compute": {"hosts": dict.fromkeys(HOSTS)}, "network": {}, "storage": {}, "services": {}}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"vars": local, "children": groups}}))
    own = [line for line in (CHECKOUT / "ansible.cfg").read_text().splitlines() if line.startswith("retry_files")]
    (tmp_path / "ansible.cfg").write_text("\n".join(["[defaults]", "collections_path = .", *own]) + "\n")
    return tmp_path


def eight_hosts(copy: Path) -> None:
    inventory = yaml.safe_load((copy / "hosts.yml").read_text())
    inventory["all"]["children"]["compute"]["hosts"] = dict.fromkeys(EIGHT)
    (copy / "hosts.yml").write_text(yaml.safe_dump(inventory))


def play(copy: Path, *arguments: str, **extra: Any) -> tuple[int, str, list[str]]:
    """Exit code, what was printed, and the notes in order."""
    done = subprocess.run(
        [
            str(Path(sys.executable).parent / "ansible-playbook"), "-i", "hosts.yml", "site.yml", *arguments,
            "-e", json.dumps(extra),
        ],
        cwd=copy,
        env={**os.environ, "ANSIBLE_CONFIG": str(copy / "ansible.cfg"), "ANSIBLE_FORKS": "2"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr, re.findall(NOTE, done.stdout)


def hosts_in(notes: list[str]) -> list[str]:
    return sorted({line.split()[1] for line in notes})


def hosts_of(notes: list[str], role: str) -> list[str]:
    return sorted(line.split()[1] for line in notes if line.startswith(f"{role} "))


def test_a_canary_that_fails_its_judgement_stops_everything_after_it(copy: Path) -> None:
    code, printed, notes = play(copy, failing={"host_validate": ["gpu-1"]})
    assert code != 0
    assert "host_validate says no" in printed
    assert {line.split()[1] for line in notes} == {"gpu-1"}
    assert [line.split()[0] for line in notes] == roles()


def test_what_any_role_refuses_is_refused_before_a_role_has_changed_the_host(copy: Path) -> None:
    """A host for each role, all in one wave."""
    refusing = {role: [f"gpu-{number}"] for number, role in enumerate(roles()[:-1], start=1)}
    inventory = yaml.safe_load((copy / "hosts.yml").read_text())
    inventory["all"]["children"]["compute"]["hosts"] = {host: None for (host,) in refusing.values()}
    (copy / "hosts.yml").write_text(yaml.safe_dump(inventory))
    code, printed, notes = play(copy, refusing=refusing, gpufabric_waves=["100%"], gpufabric_failed_percent=100)
    assert code != 0
    assert dict(re.findall(r"fatal: \[(\S+)\]: .*?(\w+) refuses", printed)) == {
        host: role for role, (host,) in refusing.items()
    }
    assert notes == []


def test_a_canary_that_fails_its_judgement_gets_its_driver_stack_back_and_no_other_host_gets_the_new_one(
    copy: Path,
) -> None:
    code, printed, notes = play(copy, failing={"host_validate": ["gpu-1"]}, rdma_stack_source="doca")
    assert code != 0
    assert "host_validate says no" in printed
    assert {line.split()[1] for line in notes} == {"gpu-1"}
    assert [line.split()[0] for line in notes] == [*roles(), "back"]


def test_hosts_of_a_wave_that_passed_keep_their_driver_stack_where_another_of_it_failed(copy: Path) -> None:
    waves = {"gpufabric_waves": [1, "100%"]}
    code, _, notes = play(copy, failing={"host_validate": ["gpu-3"]}, rdma_stack_source="doca", **waves)
    assert code != 0
    assert hosts_of(notes, "back") == ["gpu-3"]
    assert hosts_of(notes, "keep") == [host for host in HOSTS if host != "gpu-3"]


def test_a_driver_stack_is_kept_only_after_the_host_was_judged(copy: Path) -> None:
    code, printed, notes = play(copy, "--limit", "gpu-1", rdma_stack_source="doca")
    assert code == 0, printed
    assert [line.split()[0] for line in notes] == [*roles(), "keep"]


def test_a_second_wave_that_fails_stops_the_third(copy: Path) -> None:
    eight_hosts(copy)
    code, _, notes = play(copy, failing={"roce_qos": ["gpu-3"]}, gpufabric_waves=[1, "25%", "100%"])
    assert code != 0
    assert {line.split()[1] for line in notes} == {"gpu-1", "gpu-2", "gpu-3"}
    assert hosts_of(notes, "host_validate") == ["gpu-1"]


def test_all_is_well_one_then_a_quarter_then_the_rest_each_judged_before_the_next(copy: Path) -> None:
    eight_hosts(copy)
    code, printed, notes = play(copy)
    assert code == 0, printed
    assert hosts_of(notes, "host_validate") == EIGHT
    judged = [place for place, line in enumerate(notes) if line.startswith("host_validate ")]
    first = [place for place, line in enumerate(notes) if line.startswith("rail_interfaces ")]
    assert judged[0] < first[1], "the second wave began before the canary was judged"
    assert max(judged[:3]) < first[3], "the third wave began before the second was judged"


def test_a_dry_run_goes_through_every_role_and_judges_nothing(copy: Path) -> None:
    code, printed, notes = play(copy, "--check", "--limit", "gpu-1")
    assert code == 0, printed
    assert [line.split()[0] for line in notes] == roles()[:-1]


def needing_a_reboot(copy: Path) -> None:
    """The hosts' role of huge pages has reasons for a reboot."""
    with (copy / "ansible_collections/gpufabric/host/roles/hugepages/tasks/main.yml").open("a") as tasks:
        tasks.write(NEEDS_A_REBOOT)


def test_without_leave_reasons_for_a_reboot_are_told_and_nothing_is_rebooted(copy: Path) -> None:
    needing_a_reboot(copy)
    code, printed, _ = play(copy, "--limit", "gpu-1", reasons=["hugepages: node 0 has 0 of 4 pages of 1G"])
    assert code == 0, printed
    assert "hugepages: node 0 has 0 of 4 pages of 1G" in printed
    assert "skipping: [gpu-1]" in printed.partition("TASK [Reboot]")[2].partition("TASK [")[0]


def test_with_leave_it_is_rebooted_before_it_is_judged(copy: Path) -> None:
    needing_a_reboot(copy)
    # Ansible itself refuses to reboot what runs it; on the lab's machines the reboot goes through.
    extra = {"gpufabric_reboot_allowed": True, "reasons": ["iommu=pt"]}
    code, printed, notes = play(copy, "--limit", "gpu-1", **extra)
    assert code != 0
    assert "would reboot the control node" in printed
    assert hosts_of(notes, "host_validate") == []


UNREACHABLE = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}


def unreachable(copy: Path, host: str) -> None:
    """A host that nothing answers on."""
    hosts = yaml.safe_load((copy / "hosts.yml").read_text())
    hosts["all"]["children"]["compute"]["hosts"][host] = UNREACHABLE
    (copy / "hosts.yml").write_text(yaml.safe_dump(hosts))
    role = copy / "ansible_collections/gpufabric/host/roles/hugepages/tasks/main.yml"
    role.write_text(f"- ansible.builtin.ping:\n  when: inventory_hostname == '{host}'\n" + role.read_text())


@pytest.mark.long
def test_a_declared_share_of_a_wave_may_fail_and_is_left_out_listed_and_resumed(copy: Path) -> None:
    shares = {"gpufabric_waves": [1, 4, "100%"], "gpufabric_failed_percent": 34}
    code, printed, notes = play(copy, failing={"roce_qos": ["gpu-3"]}, **shares)
    assert code != 0, "a run with failed hosts is no success"
    assert hosts_of(notes, "host_validate") == [host for host in HOSTS if host != "gpu-3"]
    assert "--limit @" in printed
    assert (copy / "out/site.retry").read_text() == "gpu-3\n"
    code, printed, notes = play(copy, "--limit", "@out/site.retry", **shares)
    assert code == 0, printed
    assert hosts_of(notes, "host_validate") == ["gpu-3"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("failed", [["gpu-1"], ["gpu-3", "gpu-4"]], ids=["the canary", "more than the share"])
def test_a_share_does_not_excuse_the_canary_nor_more_than_itself(copy: Path, failed: list[str]) -> None:
    code, _, notes = play(
        copy, failing={"roce_qos": failed}, gpufabric_waves=[1, 4, "100%"], gpufabric_failed_percent=34
    )
    assert code != 0
    assert "gpu-6" not in hosts_of(notes, "rail_interfaces")
    assert set(failed) <= set((copy / "out/site.retry").read_text().split())


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("percent", "last_wave"), [(0, []), (34, ["gpu-6"])])
def test_a_host_that_cannot_be_reached_counts_as_one_that_failed(
    copy: Path, percent: int, last_wave: list[str]
) -> None:
    unreachable(copy, "gpu-3")
    code, printed, notes = play(copy, gpufabric_waves=[1, 4, "100%"], gpufabric_failed_percent=percent)
    assert code != 0
    assert hosts_of(notes, "host_validate") == ["gpu-1", "gpu-2", "gpu-4", "gpu-5", *last_wave]
    assert ("1 of 4 hosts of this wave failed or could not be reached" in printed) == (percent == 0)


def test_network_boundary_and_storage_come_before_compute() -> None:
    site = yaml.safe_load((CHECKOUT / "site.yml").read_text())
    order = [each["ansible.builtin.import_playbook"] for each in site]
    assert order == [f"playbooks/{name}.yml" for name in ("network", "boundary", "storage", "services", "compute")]


BONDED = ["bond_interfaces", "plane_guard", "hugepages", "host_tuning", "node_health", "host_validate"]
WITH_RAILS = [each for each in roles() if each not in ("bond_interfaces", "egress_client", "gpudirect", "nccl")]
"""Of hosts without GPUs and without bonds, and no clients of relays."""
RAILS = [{"name": "rail0"}]
RDMA = {"rail_interfaces_rails": RAILS, "roce_qos_rails": ["rail0"]}


def with_all_kinds(copy: Path) -> None:
    """Storage hosts with bonds, and with rails; logins on one plane, and with bonds and rails; a GPU host.

    All but the storage hosts are clients of relays.
    """
    inventory = yaml.safe_load((copy / "hosts.yml").read_text())
    bonds = inventory["all"]["vars"].pop("bond_interfaces_bonds")
    client = {"egress_client_nameservers": inventory["all"]["vars"].pop("egress_client_nameservers")}
    two = {"storage": ["data"], "business": ["data.300"]}
    inventory["all"]["children"] = {
        "network": {},
        "storage": {
            "hosts": {
                "storage-1": {"bond_interfaces_bonds": bonds, "plane_guard_planes": two},
                "storage-2": {**RDMA, "plane_guard_planes": two},
            }
        },
        "services": {
            "hosts": {
                "login-1": {"bond_interfaces_bonds": bonds, **client},
                "login-2": {
                    "bond_interfaces_bonds": bonds,
                    **RDMA,
                    "plane_guard_planes": two,
                    **client,
                },
            }
        },
        "compute": {"hosts": {"gpu-1": {"bond_interfaces_bonds": bonds, **client}}},
    }
    (copy / "hosts.yml").write_text(yaml.safe_dump(inventory))


def test_each_kind_of_host_gets_its_own_roles(copy: Path) -> None:
    with_all_kinds(copy)
    code, printed, notes = play(copy)
    assert code == 0, printed
    ran = {host: [line.split()[0] for line in notes if line.endswith(f" {host}")] for host in hosts_in(notes)}
    assert ran == {
        "storage-1": BONDED,
        "storage-2": WITH_RAILS,
        "login-1": ["bond_interfaces", "egress_client", "hugepages", "host_tuning", "node_health", "host_validate"],
        "login-2": [each for each in roles() if each not in ("gpudirect", "nccl")],
        "gpu-1": roles(),
    }


def test_a_host_with_rdma_over_bonds_alone_gets_the_roles_of_rdma_and_its_refusals_first(copy: Path) -> None:
    with_all_kinds(copy)
    inventory = yaml.safe_load((copy / "hosts.yml").read_text())
    inventory["all"]["children"]["storage"]["hosts"]["storage-1"]["roce_qos_rails"] = ["data0", "data1"]
    (copy / "hosts.yml").write_text(yaml.safe_dump(inventory))
    code, printed, notes = play(copy, "--limit", "storage-1")
    assert code == 0, printed
    of_rdma = [each for each in WITH_RAILS if each not in ("rail_interfaces", "plane_guard")]
    assert [line.split()[0] for line in notes] == ["bond_interfaces", "plane_guard", *of_rdma]
    code, printed, notes = play(copy, "--limit", "storage-1", refusing={"roce_qos": ["storage-1"]})
    assert code != 0
    assert notes == []


def test_a_service_host_that_is_refused_is_left_alone_and_no_gpu_host_is_begun(copy: Path) -> None:
    with_all_kinds(copy)
    code, printed, notes = play(copy, refusing={"bond_interfaces": ["login-1"]})
    assert code != 0
    assert "bond_interfaces refuses" in printed
    assert hosts_in(notes) == ["storage-1", "storage-2"]


def test_every_role_of_the_repository_is_in_the_play_of_hosts_of_a_cluster_or_of_the_boundary() -> None:
    there = sorted(path.parent.parent.name for path in (CHECKOUT / "roles").glob("*/tasks/main.yml"))
    of_others = [roles_of(each) for each in ("kubernetes.yml", "gpu_operator.yml", "boundary.yml")]
    assert sorted([*roles(), *(role for each in of_others for role in each)]) == there


@pytest.mark.sampled(1)
@pytest.mark.parametrize("role", ["rail_interfaces", "rdma_stack", "roce_qos", "nic_firmware"])
def test_what_a_role_refuses_on_a_host_with_rails_and_no_gpus_is_refused_before_a_change(copy: Path, role: str) -> None:
    with_all_kinds(copy)
    code, printed, notes = play(copy, "--limit", "storage-2", refusing={role: ["storage-2"]})
    assert code != 0
    assert f"{role} refuses" in printed
    assert notes == []


def test_a_storage_host_that_fails_its_judgement_gets_its_driver_stack_back_and_nobody_after_it_is_begun(
    copy: Path,
) -> None:
    with_all_kinds(copy)
    code, _, notes = play(
        copy, failing={"host_validate": ["storage-2"]}, rdma_stack_source="doca", gpufabric_waves=["100%"]
    )
    assert code != 0
    assert (hosts_of(notes, "back"), hosts_of(notes, "keep")) == (["storage-2"], ["storage-1"])
    assert hosts_in(notes) == ["storage-1", "storage-2"]


def test_the_boundary_comes_first_one_firewall_after_the_other_and_both_are_judged_together(copy: Path) -> None:
    hosts = yaml.safe_load((copy / "hosts.yml").read_text())
    hosts["all"]["children"]["firewalls"] = {"hosts": {"firewall-1": None, "firewall-2": None}}
    hosts["all"]["children"]["compute"]["hosts"] = {"gpu-1": None}
    (copy / "hosts.yml").write_text(yaml.safe_dump(hosts))
    code, printed, notes = play(copy)
    assert code == 0, printed
    of_boundary = [line for line in notes if line.split()[1].startswith("firewall-")]
    assert of_boundary == notes[: len(of_boundary)], "a host was brought up before the boundary was"
    brought_up = [f"{role} firewall-{each}" for each in (1, 2) for role in roles_of("boundary.yml", "firewalls")]
    assert of_boundary[:-2] == brought_up
    assert sorted(of_boundary[-2:]) == ["host_validate firewall-1", "host_validate firewall-2"]
    code, _, notes = play(copy, failing={"firewall": ["firewall-1"]})
    assert code != 0
    assert hosts_in(notes) == ["firewall-1"], "something went on though the first firewall failed"


def test_a_boundary_that_is_not_as_it_should_be_keeps_hosts_from_being_brought_up(copy: Path) -> None:
    hosts = yaml.safe_load((copy / "hosts.yml").read_text())
    hosts["all"]["children"]["firewalls"] = {"hosts": {"firewall-1": None, "firewall-2": None}}
    (copy / "hosts.yml").write_text(yaml.safe_dump(hosts))
    code, printed, notes = play(copy, failing={"host_validate": ["firewall-2"]})
    assert code != 0
    assert "host_validate says no" in printed
    assert hosts_in(notes) == ["firewall-1", "firewall-2"]

"""Hosts that a step disturbs: a play of their own, where no job is; who is left out is listed, the rest goes on."""

from pathlib import Path

import pytest
import yaml
from disturbed import disturbing, with_gpu_process, with_hosts, with_login, with_reboots_by
from test_host_waves import copy, hosts_of, needing_a_reboot, play  # noqa: F401 - a fixture

CHECKOUT = Path(__file__).parents[3]


def test_a_host_with_jobs_is_left_out_with_a_list_and_the_others_are_brought_up(copy: Path) -> None:  # noqa: F811
    """gpu-1 has a job and would be disturbed, gpu-2 would be disturbed, gpu-3 has a job and nothing disturbs it."""
    with_hosts(copy, ["gpu-1", "gpu-2", "gpu-3"])
    with_gpu_process(copy, "gpu-1")
    with_gpu_process(copy, "gpu-3")
    code, printed, notes = play(copy, disturbing=disturbing(["gpu-1", "gpu-2"]))
    assert code != 0, "a host that was left out is no success"
    assert hosts_of(notes, "rail_interfaces") == ["gpu-2", "gpu-3"]
    assert hosts_of(notes, "host_validate") == ["gpu-2", "gpu-3"]
    assert notes[0] == "rail_interfaces gpu-3", "those that nothing disturbs come first"
    words = " ".join(printed.split())
    assert "Left out: train (process 77) has a GPU's device open; nothing was changed on it" in words
    assert (copy / "out/site.retry").read_text() == "gpu-1\n"


def test_a_host_of_which_it_cannot_be_foreseen_counts_as_disturbed(copy: Path) -> None:  # noqa: F811
    with_hosts(copy, ["gpu-1", "gpu-2"])
    with_gpu_process(copy, "gpu-1")
    foresee = copy / "ansible_collections/gpufabric/host/roles/roce_qos/tasks/foresee.yml"
    foresee.write_text("- ansible.builtin.fail: {msg: nobody can read it}\n  when: inventory_hostname == 'gpu-1'\n")
    code, _, notes = play(copy)
    assert code != 0
    assert hosts_of(notes, "rail_interfaces") == ["gpu-2"]


def test_the_first_pfc_of_a_storage_server_with_rdma_over_bonds_alone_is_foreseen(copy: Path) -> None:  # noqa: F811
    with_hosts(copy, ["gpu-1"])
    inventory = yaml.safe_load((copy / "hosts.yml").read_text())
    own = {"gpufabric_jobs_root": f"{copy}/roots/gpu-1", "roce_qos_rails": ["data0", "data1"]}
    del inventory["all"]["vars"]["rail_interfaces_rails"], inventory["all"]["vars"]["roce_qos_rails"]
    inventory["all"]["children"]["storage"]["hosts"] = {"storage-1": own}
    inventory["all"]["children"]["compute"]["hosts"] = {}
    (copy / "hosts.yml").write_text(yaml.safe_dump(inventory))
    with_gpu_process(copy, "gpu-1")
    code, printed, notes = play(copy, disturbing=disturbing(["storage-1"], "roce_qos"))
    assert code != 0, printed
    assert notes == [], "it has a process that the step would disturb"


def test_a_reboot_is_made_by_the_play_of_disturbed_hosts_and_not_while_somebody_is_logged_in(
    copy: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    with_hosts(copy, ["gpu-1", "gpu-2"])
    needing_a_reboot(copy)
    with_reboots_by(copy, Path("/bin/echo"))
    with_login(copy, "gpu-1")
    code, printed, notes = play(copy, gpufabric_reboot_allowed=True, reasons=["iommu=pt"], gpufabric_waves=["100%"])
    assert code != 0
    assert hosts_of(notes, "hugepages") == ["gpu-1", "gpu-2", "gpu-2"], "its files first, its reboot by the other play"
    assert hosts_of(notes, "host_validate") == ["gpu-2"], "judged after its reboot, once"
    assert "Left out: ada is logged in on pts/0 from 10.9.9.9; nothing was changed" in " ".join(printed.split())
    assert (tmp_path / "out/site.retry").read_text() == "gpu-1\n"


def test_wrong_settings_are_refused_all_at_once_before_a_host_is_touched(copy: Path) -> None:  # noqa: F811
    with_hosts(copy, ["gpu-1"])
    wrong = {"gpufabric_drain": "command", "gpufabric_disrupt_max": "0%", "gpufabric_drain_wait_s": "an hour"}
    code, printed, notes = play(copy, **wrong, gpufabric_drain_command="sh -c drain", gpufabric_site="two words")
    assert code != 0
    assert notes == []
    for each in (
        "gpufabric_disrupt_max: '0%' is neither a count",
        "gpufabric_drain_wait_s: 'an hour' is no number of seconds",
        "gpufabric_drain: command needs gpufabric_drain_from",
        "gpufabric_drain_command: 'sh -c drain' is no list of words",
        "gpufabric_site: 'two words' names this site",
    ):
        assert each in printed


@pytest.mark.parametrize("site", sorted((CHECKOUT / "inventory").iterdir()), ids=lambda each: each.name)
def test_no_site_that_people_copy_lets_its_hosts_be_rebooted(site: Path) -> None:
    for file in site.rglob("*.yml"):
        text = file.read_text()
        assert "reboot_allowed" not in text, f"{file}: whoever copies it reboots hosts with jobs on them"
        assert "gpufabric_disrupt_max" not in yaml.safe_load(text)

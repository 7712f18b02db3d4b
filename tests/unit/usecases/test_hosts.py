"""Ansible gets every host of a site, told what the design says, and of a lab only those that are up."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.resources import resource
from nornir_tasks.usecases.hosts import host_inventory
from tests.intent_parts import needs
from tests.plain_facts import plain_facts

CHECKOUT = Path(__file__).parents[3]
CATALOGUE = load_catalogue()
MACHINE = {"ansible_host": "127.0.0.1", "ansible_port": 40022, "rdma_stack_provider": "rxe"}


INTENT = load_intent(resource("inventory") / "lab-rails" / "fabric.yml")


@pytest.fixture(scope="module")
def network() -> Network:
    return design(INTENT, CATALOGUE, plain_facts())


def site(tmp_path: Path, **changes: Any) -> Path:
    """A copy of the lab's site of which the intent's top level was changed."""
    data = yaml.safe_load((resource("inventory") / "lab-rails" / "fabric.yml").read_text())
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump({**data, **changes}))
    (tmp_path / "gpufabric.yml").write_text("plugin: gpufabric.host.gpufabric\n")
    return tmp_path / "gpufabric.yml"


def listing(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON it printed. Ansible marks texts that it will not take for templates; the mark is left out."""
    assert done.returncode == 0, done.stderr

    def unmarked(value: dict[str, Any]) -> Any:
        return value.get("__ansible_unsafe", value)

    found: dict[str, Any] = json.loads(done.stdout, object_hook=unmarked)
    return found


def ansible_inventory(config: Path, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What the real ansible-inventory makes of a site's gpufabric.yml, with the checkout's ansible.cfg."""
    return subprocess.run(
        [str(Path(sys.executable).parent / "ansible-inventory"), "-i", str(config), "--list"],
        cwd=CHECKOUT,
        env={**os.environ, "GPUFABRIC_STATE": str(tmp_path / "state"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_sites_folder_is_an_inventory_with_others_inventories_beside_its_files(tmp_path: Path) -> None:
    """Ansible asks for each file of the folder, and ends at the first that no plug-in takes."""
    folder = tmp_path / "dc1"
    shutil.copytree(CHECKOUT / "inventory/lab-rails", folder)
    intent = folder / "fabric.yml"
    intent.write_text(intent.read_text().replace("source: lab", "source: devices"))
    listed = "username: u\npassword: !secret p\nca: ca.pem\ndevices:\n  leaf-g1-r0: {address: 192.0.2.11}\n"
    (folder / "devices.yml").write_text(listed)
    (folder / "more.yml").write_text("all: {hosts: {theirs: {}}}\n")
    for name in ("ca.pem", "known_hosts", "notes.txt"):
        (folder / name).write_text("-----BEGIN CERTIFICATE-----\n")
    hosts = listing(ansible_inventory(folder, tmp_path))["_meta"]["hostvars"]
    assert hosts.keys() > {"gpu-1", "gpu-4"}
    # what nobody takes is still an error, so that an inventory with a mistake is not passed over
    (folder / "more.yml").write_text("hosts: [\n")
    assert ansible_inventory(folder, tmp_path).returncode != 0


def test_every_host_of_a_real_site_is_in_compute_with_the_variables_of_its_roles(network: Network) -> None:
    found = host_inventory(INTENT, network, CATALOGUE)
    assert found.groups["gpu"] == network.hosts
    assert found.children == {"compute": ("gpu",)}
    assert dict(found.variables) == {host: host_vars(network, needs(INTENT), host).ansible() for host in network.hosts}


def test_of_a_lab_only_machines_that_are_up_are_there_and_their_own_variables_go_on_top(network: Network) -> None:
    found = host_inventory(INTENT, network, CATALOGUE, {"gpu-2": MACHINE})
    assert found.groups["gpu"] == ("gpu-2",)
    assert set(found.variables) == {"gpu-2"}
    assert found.variables["gpu-2"].items() >= MACHINE.items()
    assert found.variables["gpu-2"]["roce_qos_traffic_class"] == 106


def test_planned_hosts_are_listed_on_request_and_no_playbook_addresses_them(network: Network) -> None:
    found = host_inventory(INTENT, network, CATALOGUE, {"gpu-2": MACHINE}, with_planned=True)
    assert found.groups["planned"] == ("gpu-1", "gpu-3", "gpu-4")
    assert found.groups["gpu"] == ("gpu-2",)
    assert "planned" not in {name for names in found.children.values() for name in names}


def test_machines_of_an_earlier_design_are_all_named(network: Network) -> None:
    with pytest.raises(IntentError) as raised:
        host_inventory(INTENT, network, CATALOGUE, {"gpu-8": MACHINE, "gpu-1": MACHINE, "old-1": MACHINE})
    assert [problem.where for problem in raised.value.problems] == ["gpu-8", "old-1"]


def test_ansible_reads_a_site_by_the_plug_in(tmp_path: Path, network: Network) -> None:
    listed = listing(ansible_inventory(site(tmp_path, management={"source": "devices"}), tmp_path))
    assert listed["compute"]["children"] == ["gpu"]
    assert {"network", "storage"} <= set(listed["all"]["children"]), "playbooks address these, without hosts as well"
    assert listed["gpu"]["hosts"] == list(network.hosts)
    values = listed["_meta"]["hostvars"]["gpu-3"]
    assert values.items() >= host_vars(network, needs(INTENT), "gpu-3").ansible().items()


def test_a_relative_path_to_a_site_counts_from_the_file_that_names_it_wherever_ansible_is_started(
    tmp_path: Path, network: Network
) -> None:
    site(tmp_path / "site", management={"source": "devices"})
    config = tmp_path / "elsewhere" / "gpufabric.yml"
    config.parent.mkdir()
    config.write_text("plugin: gpufabric.host.gpufabric\nsite: ../site\n")
    assert listing(ansible_inventory(config, tmp_path))["gpu"]["hosts"] == list(network.hosts)


def test_ansible_reaches_a_labs_machines_as_the_lab_says(tmp_path: Path) -> None:
    config = site(tmp_path)
    where = subprocess.run(
        [sys.executable, "-c", f"from nornir_tasks.files.site import *; print(state_directory({str(tmp_path)!r}))"],
        env={**os.environ, "GPUFABRIC_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    machines = Path(where) / "lab" / "machines" / "hosts.yml"
    machines.parent.mkdir(parents=True)
    machines.write_text(yaml.safe_dump({"gpu-1": MACHINE}))
    assert listing(ansible_inventory(config, tmp_path))["_meta"]["hostvars"]["gpu-1"].items() >= MACHINE.items()


def test_a_lab_without_machines_stops_ansible_with_the_command_that_starts_them(tmp_path: Path) -> None:
    done = ansible_inventory(site(tmp_path), tmp_path)
    assert done.returncode != 0
    assert "none of the lab's machines is up" in done.stderr
    assert "nornir lab up --hosts 1" in done.stderr


def test_ansible_says_all_that_is_wrong_with_an_intent(tmp_path: Path) -> None:
    done = ansible_inventory(site(tmp_path, site=7, management={"source": "nowhere"}), tmp_path)
    assert done.returncode != 0
    assert "fabric.yml:" in done.stderr
    assert "site: " in done.stderr
    assert "management.source: " in done.stderr


def test_the_plug_in_leaves_other_files_alone(tmp_path: Path) -> None:
    other = tmp_path / "hosts.yml"
    other.write_text("all: {hosts: {somebody: {}}}\n")
    assert listing(ansible_inventory(other, tmp_path))["ungrouped"]["hosts"] == ["somebody"]


def test_the_plug_in_stays_a_thin_one() -> None:
    assert len((CHECKOUT / "plugins" / "inventory" / "gpufabric.py").read_text().splitlines()) < 60

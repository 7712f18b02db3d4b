"""The module names_taken_over, run as a host runs it, on the files of a folder and the ports of a network namespace."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from needs import require

MODULES = Path(__file__).parents[3] / "plugins/modules"
MAC = "02:00:00:00:00:10"
NETPLAN = f"""network:
  ethernets:
    nic:
      match: {{macaddress: "{MAC}"}}
      set-name: eth2
"""
RULES = f'# ours\nSUBSYSTEM=="net", ATTR{{address}}=="{MAC}", NAME="eth3"\n'
RAIL = {"rail": 0, "name": "rail0", "match": {"mac": MAC, "pci": None}}


@pytest.fixture
def run(tmp_path):
    """(module, arguments, check) -> what it answers, in a namespace with one port."""
    space = f"names{id(tmp_path) % 100000}"
    require("root")
    subprocess.run(["ip", "netns", "add", space], check=True, capture_output=True)
    port = ["ip", "-n", space, "link", "add", "ens16", "address", MAC, "type", "veth", "peer", "name", "far"]
    arguments = tmp_path / "arguments.json"

    def module(name, parameters, check=False):
        parameters = {**parameters, "root": str(tmp_path / "root"), "_ansible_check_mode": check, "_ansible_diff": True}
        arguments.write_text(json.dumps({"ANSIBLE_MODULE_ARGS": parameters}))
        command = ["ip", "netns", "exec", space, sys.executable, str(MODULES / f"{name}.py"), str(arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return json.loads(done.stdout or done.stderr)

    try:
        subprocess.run(port, check=True)
        yield module
    finally:
        subprocess.run(["ip", "netns", "delete", space], check=False, capture_output=True)


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    for file, text in {"etc/netplan/60-maas.yaml": NETPLAN, "etc/udev/rules.d/70-x.rules": RULES}.items():
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(text)
        (folder / file).chmod(0o600)
    return folder


FILES = ["/etc/netplan/60-maas.yaml", "/etc/udev/rules.d/70-x.rules"]


def test_the_facts_name_each_file_with_line_and_key(run, root):
    facts = run("rail_facts", {"matches": [RAIL["match"]]})["ansible_facts"]["gpufabric_rails"]
    found = [(each["by"], each["file"], each["line"], each["key"], each["name"]) for each in facts["names"]]
    assert found == [
        ("netplan", FILES[0], 5, "network.ethernets.nic.set-name", "eth2"),
        ("udev", FILES[1], 2, "NAME", "eth3"),
    ]


def test_a_dry_run_lists_the_files_and_the_lines_and_changes_nothing(run, root):
    answer = run("names_taken_over", {"rails": [RAIL]}, check=True)
    assert (answer["changed"], answer["files"]) == (True, FILES)
    assert answer["diff"][0]["prepared"] == "/etc/netplan/60-maas.yaml:\n-       set-name: eth2\n"
    assert ((root / "etc/netplan/60-maas.yaml").read_text(), (root / "var").exists()) == (NETPLAN, False)


def test_a_run_cuts_to_the_byte_keeps_what_was_and_a_second_one_changes_nothing(run, root):
    assert run("names_taken_over", {"rails": [RAIL]})["files"] == FILES
    assert (root / "etc/netplan/60-maas.yaml").read_text() == NETPLAN.replace("      set-name: eth2\n", "")
    assert (root / "etc/udev/rules.d/70-x.rules").read_text() == "# ours\n"
    assert oct((root / "etc/netplan/60-maas.yaml").stat().st_mode) == "0o100600"
    kept = root / "var/lib/gpufabric/replaced/etc/netplan/60-maas.yaml"
    assert (kept.read_text(), oct(kept.stat().st_mode)) == (NETPLAN, "0o100600")
    again = run("names_taken_over", {"rails": [RAIL]})
    assert (again["changed"], again["files"]) == (False, [])


def test_what_was_kept_before_stays_when_the_same_file_is_taken_over_again(run, root):
    run("names_taken_over", {"rails": [RAIL]})
    (root / "etc/udev/rules.d/70-x.rules").write_text(RULES.replace("eth3", "eth4"))
    run("names_taken_over", {"rails": [RAIL]})
    kept = root / "var/lib/gpufabric/replaced/etc/udev/rules.d"
    assert {each.name: "eth3" in each.read_text() for each in kept.iterdir()} == {
        "70-x.rules": True,
        "70-x.rules.1": False,
    }

"""The module network_adopted, run as a host runs it: files of a folder, ports and a bridge of a network namespace.

systemd's programs are stand-ins that write down how they are called; ip is the real one.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from needs import require

MODULES = Path(__file__).parents[3] / "plugins/modules"
FIRST, SECOND = "02:00:00:00:00:10", "02:00:00:00:00:11"
NETPLAN = """network:
  bridges:
    br0: {interfaces: [ens16], addresses: [10.168.0.1/31]}
  ethernets:
    ens3:
      addresses: [192.0.2.10/24]
      gateway4: 192.0.2.1
    ens16: {}
    ens17: {dhcp4: true}
"""
LEFT = """network:
  ethernets:
    ens3:
      addresses: [192.0.2.10/24]
      gateway4: 192.0.2.1
"""
RAILS = [
    {"name": "rail0", "match": {"mac": FIRST, "pci": None}},
    {"name": "rail1", "match": {"mac": SECOND, "pci": None}},
]
BY_BRIDGE = "10.168.0.0 40000 10.168.0.1 22"
BY_DHCP = "10.9.9.1 40000 10.9.9.57 22"


class Host:
    def __init__(self, folder, space):
        self.folder, self.root, self.space = folder, folder / "root", space
        self.netplan = self.root / "etc/netplan/50-cloud-init.yaml"
        self.ours = self.root / "etc/netplan/90-gpufabric.yaml"
        self.netplan.parent.mkdir(parents=True)
        self.netplan.write_text(NETPLAN)
        (self.root / "usr/sbin").mkdir(parents=True)
        (self.root / "usr/sbin/netplan").touch()
        programs = folder / "programs"
        programs.mkdir()
        for name in ("systemd-run", "systemctl", "logger", "netplan", "networkctl", "udevadm", "nmcli"):
            (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{folder}/called\n')
            (programs / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:/usr/bin:/bin:/usr/sbin:/sbin"}
        self.script = folder / "state/rails/bring-back"
        self.unit = folder / "units/gpufabric-take-back-rails.service"
        self.unit.parent.mkdir()

    def ip(self, *words):
        return subprocess.run(["ip", "-n", self.space, *words], check=True, capture_output=True, text=True).stdout

    def inside(self, *command, session=""):
        environment = {**self.environment, **({"SSH_CONNECTION": session} if session else {})}
        argv = ["ip", "netns", "exec", self.space, *command]
        return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, env=environment)

    def run(self, state, session="", check=False, **more):
        given = {
            "name": "rails", "state": state, "ports": RAILS, "addresses": ["10.168.0.1/31"], "root": str(self.root),
            "files": ["/etc/netplan/90-gpufabric*"], "state_folder": str(self.folder / "state"),
            "units_folder": str(self.unit.parent), "_ansible_check_mode": check, "_ansible_diff": True, **more,
        }  # fmt: skip
        arguments = self.folder / "arguments.json"
        arguments.write_text(json.dumps({"ANSIBLE_MODULE_ARGS": given}))
        done = self.inside(sys.executable, str(MODULES / "network_adopted.py"), str(arguments), session=session)
        return json.loads(done.stdout or done.stderr)

    def restarted(self):
        (self.folder / "state/rails/boot-id").write_text("another\n")

    def bring_back(self, *words):
        done = self.inside(str(self.script), *words)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def host(tmp_path):
    require("root")
    space = f"adopt{os.getpid()}"
    subprocess.run(["ip", "netns", "add", space], check=True)
    made = Host(tmp_path, space)
    try:
        for name, mac in {"ens3": "02:00:00:00:00:03", "ens16": FIRST, "ens17": SECOND}.items():
            made.ip("link", "add", name, "address", mac, "type", "veth", "peer", "name", f"far-{name}")
            made.ip("link", "set", name, "up")
        made.ip("link", "add", "br0", "type", "bridge")
        made.ip("link", "set", "ens16", "master", "br0")
        made.ip("address", "add", "10.168.0.1/31", "dev", "br0")
        made.ip("address", "add", "10.9.9.57/24", "dev", "ens17")
        yield made
    finally:
        subprocess.run(["ip", "netns", "delete", space], check=False)


def test_the_plan_changes_nothing(host):
    answer = host.run("planned")
    assert (answer["changed"], answer["blocks"]) == (False, [])
    assert answer["adopted"] == {"links": ["br0"], "release": {}, "flush": {"ens17": ["10.9.9.57/24"]}}
    assert "stays: /etc/netplan/50-cloud-init.yaml, line 5, network.ethernets.ens3" in answer["plan"]
    assert host.run("started", check=True)["changed"] is True
    assert (host.netplan.read_text(), host.script.exists()) == (NETPLAN, False)


def test_files_go_under_a_timer_and_what_runs_stays_for_ours_to_take_down(host):
    answer = host.run("started", after_s=7)
    assert answer["timer"] == "gpufabric-take-back-rails-timer.timer"
    assert host.netplan.read_text() == LEFT
    assert (host.root / "var/lib/gpufabric/replaced/etc/netplan/50-cloud-init.yaml").read_text() == NETPLAN
    assert "--on-active=7s" in (host.folder / "called").read_text()
    assert "br0" in host.ip("-br", "link")


def test_unconfirmed_all_comes_back_files_names_and_addresses_alike(host):
    host.run("started")
    host.ours.write_text("ours\n")
    host.ip("link", "delete", "br0")
    host.ip("link", "set", "ens16", "down")
    host.ip("link", "set", "ens16", "name", "rail0")
    host.bring_back()
    assert (host.netplan.read_text(), host.ours.exists(), host.script.exists()) == (NETPLAN, False, False)
    assert "ens16" in host.ip("-br", "link")
    assert "rail0" not in host.ip("-br", "link")
    called = (host.folder / "called").read_text().splitlines()
    assert called.index("netplan generate") > called.index("udevadm control --reload")
    assert "systemctl reboot" not in called


def test_what_no_file_has_comes_back_too_a_membership_and_an_address_by_hand(host):
    host.ip("link", "add", "ens9", "type", "veth", "peer", "name", "far-ens9")
    host.ip("link", "set", "ens9", "master", "br0")
    adopted = host.run("started")["adopted"]
    assert adopted["release"] == {"ens16": "br0"}
    host.ip("link", "set", "ens16", "nomaster")
    host.ip("address", "delete", "10.9.9.57/24", "dev", "ens17")
    host.bring_back()
    assert "master br0" in host.ip("link", "show", "ens16")
    assert "10.9.9.57/24" in host.ip("address", "show", "ens17")


def test_a_restart_in_between_brings_files_back_and_restarts_once_more(host):
    host.run("started")
    assert f"ExecStart={host.script} boot" in host.unit.read_text()
    before = (host.folder / "called").read_text()
    host.bring_back("boot")
    assert host.netplan.read_text() == NETPLAN
    called = (host.folder / "called").read_text().removeprefix(before)
    assert "systemctl reboot" in called
    assert "netplan" not in called


def test_for_the_next_boot_the_time_runs_from_there_and_a_second_run_changes_nothing(host):
    assert host.run("started", at_boot=True, after_s=90)["changed"] is True
    assert "--on-active=90s" in host.unit.read_text()
    assert "--on-active" not in (host.folder / "called").read_text()
    assert host.run("started", at_boot=True)["changed"] is False
    assert host.run("confirmed", at_boot=True)["changed"] is False
    assert host.script.exists()
    host.restarted()
    assert host.run("confirmed", at_boot=True)["changed"] is True
    assert (host.script.exists(), host.unit.exists(), host.netplan.read_text()) == (False, False, LEFT)


def test_for_the_next_boot_the_first_copy_is_what_comes_back(host):
    host.run("started", at_boot=True)
    host.netplan.write_text(NETPLAN.replace("{dhcp4: true}", "{dhcp4: false}"))
    assert host.run("started", at_boot=True)["changed"] is True
    host.bring_back("boot")
    assert host.netplan.read_text() == NETPLAN


def test_kept_is_kept_and_what_was_taken_back_meanwhile_is_told(host):
    host.run("started")
    assert host.run("kept")["changed"] is False
    assert (host.script.exists(), host.netplan.read_text()) == (False, LEFT)
    assert "was taken back before it was confirmed" in host.run("kept")["msg"]


def test_back_brings_it_back_at_once(host):
    host.run("started")
    assert host.run("back")["changed"] is True
    assert host.netplan.read_text() == NETPLAN
    assert host.run("back")["changed"] is False


def test_a_session_by_what_goes_is_refused_with_the_way_on_unless_ours_has_its_address(host):
    answer = host.run("started", session=BY_DHCP)
    assert "this session is by 10.9.9.57 on ens17, which goes, and ours has 10.168.0.1 there" in answer["msg"]
    assert "set gpufabric_adopt_network: boot and reach the host by 10.168.0.1 after it" in answer["msg"]
    assert host.netplan.read_text() == NETPLAN
    assert host.run("planned", session=BY_BRIDGE)["blocks"] == []
    assert host.run("planned", session=BY_DHCP, at_boot=True)["blocks"] == []


def test_others_default_route_stays_until_the_gateway_of_ours_answers(host):
    default = {"interface": "ens17", "gateway": "10.9.9.1"}
    host.ip("address", "add", "192.0.2.10/24", "dev", "ens3")
    for far in ("far-ens3", "far-ens17"):
        host.ip("link", "set", far, "up")
    host.ip("route", "add", "default", "via", "192.0.2.1", "dev", "ens3")
    host.run("started", default=default)
    assert "gateway4" in host.netplan.read_text()
    refused = host.run("moved", default=default, wait_s=1)
    assert "ens17: its gateway 10.9.9.1 does not answer; the default route of before stays" in refused["msg"]
    assert "gateway4" in host.netplan.read_text()
    assert "192.0.2.1" in host.ip("route", "show", "default")
    (host.folder / "programs/ping").write_text("#!/bin/sh\nexit 0\n")
    (host.folder / "programs/ping").chmod(0o755)
    assert host.run("moved", default=default, wait_s=3)["changed"] is True
    assert "gateway4" not in host.netplan.read_text()
    assert host.ip("route", "show", "default") == ""
    assert host.run("moved", default=default)["changed"] is False


def test_a_run_that_comes_too_late_takes_nothing_down_any_more(host):
    adopted = host.run("started")["adopted"]
    assert adopted["copy"] == str(host.script)
    host.bring_back()
    given = {
        "rails": [],
        "plane_supernet": "10.168.0.0/13",
        "rule_priority": 20000,
        "arp_strict": False,
        "manager": "netplan",
    }
    arguments = {"ANSIBLE_MODULE_ARGS": {**given, "backend": "networkd", "changed_files": ["/x"], "adopted": adopted}}
    (host.folder / "late.json").write_text(json.dumps(arguments))
    done = host.inside(sys.executable, str(MODULES / "rails_in_sync.py"), str(host.folder / "late.json"))
    assert "was brought back before ours came; run again, with more gpufabric_adopt_undo_s" in done.stdout
    assert "br0" in host.ip("-br", "link")

"""What names a host's rails at its next boot beside our files: found with file and key, and taken away to the byte.

The files have the form that these programs write: netplan and cloud-init (canonical/netplan, doc and src/networkd.c;
canonical/cloud-init, cloudinit/net/netplan.py and network_manager.py), and udev rules as Debian's wiki has
them (its page NetworkInterfaceNames).
"""

import sys
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parents[3] / "plugins/module_utils"))
import name_settings as settings
import name_sources as sources
import name_takeover as takeover

MACS = {"ens3": "0c:42:a1:00:00:03", "ens16": "0c:42:a1:00:00:10", "ens17": "0c:42:a1:00:00:11"}
WANTED = {"ens16": "rail0", "ens17": "rail1"}
BY_CLOUD_INIT = """\
# This file is generated from information provided by the datasource.
network:
    ethernets:
        ens16:
            dhcp4: true  # by MAAS
            match:
                macaddress: 0C:42:A1:00:00:10
            set-name: ens16
        ens3:
            match: {macaddress: "0c:42:a1:00:00:03"}
            set-name: mgmt
    version: 2
"""


class Host:
    """A folder with a host's files, and its three NIC ports."""

    def __init__(self, root):
        self.root = root
        for name, slot in {"ens3": "03", "ens16": "10", "ens17": "11"}.items():
            device = root / f"sys/devices/pci0000:00/0000:00:{slot}.0"
            (device / f"net/{name}").mkdir(parents=True)
            self.link(device / "driver", root / "sys/bus/pci/drivers/mlx5_core")
            self.link(device / "subsystem", root / "sys/bus/pci")
            self.link(device / f"net/{name}/device", device)
            (device / f"net/{name}/dev_port").write_text("0\n")
            self.link(root / f"sys/class/net/{name}", device / f"net/{name}")
        self.put("proc/cmdline", "BOOT_IMAGE=/vmlinuz ro quiet")

    def link(self, path, target):
        target.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def put(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    @property
    def ports(self):
        slots = {"ens3": "03", "ens16": "10", "ens17": "11"}
        return [settings.port_of(name, mac, f"0000:00:{slots[name]}.0", self.root) for name, mac in MACS.items()]

    def names(self):
        found, unread, _ = sources.name_settings(self.root, self.ports)
        assert unread == []
        return [(each.by, each.file, each.line, each.key, each.name, each.netdevs) for each in found]

    def facts(self):
        ports = [{"netdev": name, "mac": mac, "pci": None} for name, mac in MACS.items()]
        rails = {MACS[name]: {"netdev": name} for name in WANTED}
        return sources.name_facts({"ports": ports, "rails": rails}, self.root)

    def edits(self):
        return {each.file: each.after for each in takeover.edits(self.root, self.ports, WANTED)}

    def take_over(self):
        for file, after in self.edits().items():
            if after is None:
                (self.root / file.lstrip("/")).unlink()
            else:
                self.put(file.lstrip("/"), after)


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def test_a_set_name_by_mac_is_found_with_its_file_line_and_key(host):
    host.put("etc/netplan/50-cloud-init.yaml", BY_CLOUD_INIT)
    assert host.names() == [
        ("netplan", "/etc/netplan/50-cloud-init.yaml", 8, "network.ethernets.ens16.set-name", "ens16", ("ens16",)),
        ("netplan", "/etc/netplan/50-cloud-init.yaml", 11, "network.ethernets.ens3.set-name", "mgmt", ("ens3",)),
    ]


def test_a_set_name_is_found_whose_match_stands_in_another_file(host):
    host.put(
        "run/netplan/10-initramfs.yaml", "network: {ethernets: {nic: {match: {macaddress: '0c:42:a1:00:00:10'}}}}\n"
    )
    host.put("etc/netplan/70-names.yaml", "network:\n  ethernets:\n    nic:\n      set-name: eth2\n")
    (found,) = host.names()
    assert found[1:5] == ("/etc/netplan/70-names.yaml", 4, "network.ethernets.nic.set-name", "eth2")
    assert host.edits() == {"/etc/netplan/70-names.yaml": "network:\n  ethernets:\n    nic:\n      {}\n"}


def test_a_later_file_moves_a_set_name_to_another_port_as_netplan_merges(host):
    one = "network: {ethernets: {nic: {match: {macaddress: '%s'}, set-name: eth2}}}\n"
    host.put("lib/netplan/10-a.yaml", one % MACS["ens16"])
    host.put("etc/netplan/90-b.yaml", "network: {ethernets: {nic: {match: {macaddress: '0c:42:a1:00:00:11'}}}}\n")
    assert [each[5] for each in host.names()] == [("ens17",)]


def test_of_two_files_of_one_name_the_one_in_run_counts(host):
    host.put("etc/netplan/50-x.yaml", BY_CLOUD_INIT)
    host.put("run/netplan/50-x.yaml", "network: {version: 2}\n")
    assert host.names() == []


def test_a_set_name_without_match_by_mac_or_driver_renames_nothing_at_boot(host):
    host.put(
        "etc/netplan/50-x.yaml", "network: {ethernets: {ens16: {set-name: a}, b: {match: {name: en*}, set-name: b}}}\n"
    )
    assert host.names() == []


def test_a_set_name_that_also_names_others_is_not_taken_over(host):
    host.put("etc/netplan/50-x.yaml", "network: {ethernets: {all: {match: {driver: mlx5_*}, set-name: a}}}\n")
    assert host.facts()["names"][0]["kept"] == "it names other interfaces than rails, too"
    assert host.edits() == {}


def test_netplan_is_cut_to_the_byte_and_a_second_run_finds_nothing(host):
    host.put("etc/netplan/50-cloud-init.yaml", BY_CLOUD_INIT)
    expected = BY_CLOUD_INIT.replace("            set-name: ens16\n", "")
    assert host.edits() == {"/etc/netplan/50-cloud-init.yaml": expected}
    host.take_over()
    assert host.edits() == {}
    assert [each[5] for each in host.names()] == [("ens3",)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{match: {macaddress: M}, set-name: a, dhcp4: true}", "{match: {macaddress: M}, dhcp4: true}"),
        ("{match: {macaddress: M}, set-name: a}", "{match: {macaddress: M}}"),
        ("{set-name: 'a' , match: {macaddress: M}}", "{match: {macaddress: M}}"),
        (
            "{match: {macaddress: M},\n      set-name: a,\n      mtu: 9000}",
            "{match: {macaddress: M},\n      mtu: 9000}",
        ),
        ("\n      match:\n        macaddress: M\n      set-name: a", "\n      match:\n        macaddress: M"),
        ('\n      set-name: "a" # MAAS\n      match: {macaddress: M}', "\n      match: {macaddress: M}"),
    ],
)
def test_each_spelling_of_a_set_name_is_cut_and_what_is_left_is_the_same_without_it(host, before, after):
    text = "network:\n  ethernets:\n    nic: " + before.replace("M", f"'{MACS['ens16']}'") + "\n  version: 2\n"
    host.put("etc/netplan/50-x.yaml", text)
    (result,) = host.edits().values()
    wanted = yaml.safe_load(text)
    del wanted["network"]["ethernets"]["nic"]["set-name"]
    assert yaml.safe_load(result) == wanted
    assert (
        result.split()
        == ("network:\n  ethernets:\n    nic: " + after.replace("M", f"'{MACS['ens16']}'") + "\n  version: 2\n").split()
    )


def test_two_files_and_several_ports_are_all_edited_at_once(host):
    two = "".join(
        f"    n{n}:\n      match: {{macaddress: '{MACS[f'ens1{n}']}'}}\n      set-name: eth{n}\n" for n in (6, 7)
    )
    host.put("etc/netplan/50-x.yaml", f"network:\n  ethernets:\n{two}")
    assert "set-name" not in host.edits()["/etc/netplan/50-x.yaml"]
    host.take_over()
    assert host.names() == []


def test_a_file_that_is_no_yaml_makes_it_unknown(host):
    host.put("etc/netplan/50-x.yaml", "network: [\n")
    _, unread, _ = sources.name_settings(host.root, host.ports)
    assert unread[0].startswith("/etc/netplan/50-x.yaml: is not YAML")


BY_MAC = 'SUBSYSTEM=="net", ACTION=="add", DRIVERS=="?*", ATTR{address}=="0c:42:a1:00:00:10", NAME="mlnx_rdma0"'
BY_PCI = 'SUBSYSTEM=="net", ACTION=="add", DRIVERS=="?*", KERNELS=="0000:00:10.0", NAME="mlnx_rdma0"'
BY_PATH = 'ACTION=="add", ENV{ID_PATH}=="*-0000:00:10.0", NAME:="mlnx_rdma0"'
OLD = BY_MAC.replace("NAME=", 'ATTR{dev_port}=="0", \\\n  KERNEL=="eth*", NAME=')


@pytest.mark.parametrize("rule", [BY_MAC, BY_PCI, BY_PATH, OLD])
def test_a_udev_rule_for_a_rails_port_is_found_and_cut_alone(host, rule):
    before, behind = (
        '# names\nSUBSYSTEM=="block", SYMLINK+="x"\n',
        'SUBSYSTEM=="net", ATTR{address}=="0c:42:a1:00:00:03", NAME="mgmt"\n',
    )
    host.put("etc/udev/rules.d/70-persistent-net.rules", f"{before}{rule}\n{behind}")
    assert host.names()[0] == ("udev", "/etc/udev/rules.d/70-persistent-net.rules", 3, "NAME", "mlnx_rdma0", ("ens16",))
    assert host.edits() == {"/etc/udev/rules.d/70-persistent-net.rules": before + behind}
    host.take_over()
    assert host.edits() == {}


@pytest.mark.parametrize(
    "rule",
    [
        f"# {BY_MAC}",
        BY_MAC.replace("=add", "=remove").replace('"add"', '"remove"'),
        BY_MAC.replace("?*", "virtio_net"),
        BY_PCI.replace("10.0", "1f.0"),
        'SUBSYSTEM=="net", ATTR{phys_switch_id}!="", ATTR{phys_port_name}!="", NAME="$env{NAME}"',
        'NAME=="", ENV{ID_NET_NAME}!="", NAME="$env{ID_NET_NAME}"',
        'KERNEL=="device-mapper", NAME="mapper/control"',
    ],
)
def test_a_rule_that_is_about_no_port_here_is_left_alone(host, rule):
    host.put("etc/udev/rules.d/70-x.rules", f"{rule}\n")
    assert host.names() == []


def test_a_rule_masked_below_etc_does_not_count_and_a_packages_own_is_not_cut(host):
    host.put("usr/lib/udev/rules.d/70-x.rules", f"{BY_MAC}\n")
    assert host.facts()["names"][0]["kept"].startswith("it belongs to a package")
    assert host.edits() == {}
    (host.root / "etc/udev/rules.d").mkdir(parents=True)
    (host.root / "etc/udev/rules.d/70-x.rules").symlink_to("/dev/null")
    assert host.names() == []


def test_a_rule_by_the_kernels_first_name_may_apply_and_is_not_said_to(host):
    host.put("etc/udev/rules.d/70-x.rules", 'SUBSYSTEM=="net", KERNEL=="eth2", NAME="lan2"\n')
    assert {each["certain"] for each in host.facts()["names"]} == {False}
    assert host.edits() == {}


def test_netplans_own_rules_in_run_are_not_counted_twice(host):
    host.put("run/udev/rules.d/99-netplan-ens16.rules", f"{BY_MAC}\n")
    host.put(
        "run/systemd/network/10-netplan-ens16.link", "[Match]\nPermanentMACAddress=0c:42:a1:00:00:10\n[Link]\nName=a\n"
    )
    assert host.names() == []


@pytest.mark.parametrize(
    "match", ["MACAddress=0C:42:A1:00:00:10", "Path=pci-0000:00:10.*", "PermanentMACAddress=x 0c:42:a1:00:00:10"]
)
def test_a_link_file_before_ours_is_found_and_moved_away(host, match):
    host.put("etc/systemd/network/00-mine.link", f"[Match]\nDriver=mlx5_core\n{match}\n\n[Link]\nName=ib0\n")
    host.put("etc/systemd/network/05-gpufabric-rail0.link", f"[Match]\n{match}\n[Link]\nName=rail0\n")
    host.put("etc/systemd/network/10-later.link", f"[Match]\n{match}\n[Link]\nName=late\n")
    assert host.names() == [("udev", "/etc/systemd/network/00-mine.link", 0, "Link.Name", "ib0", ("ens16",))]
    assert host.edits() == {"/etc/systemd/network/00-mine.link": None}


def test_a_link_file_before_ours_that_gives_no_name_still_takes_ours_away(host):
    host.put("etc/systemd/network/00-rx.link", "[Match]\nPath=*-0000:00:11.0\n[Link]\nRxBufferSize=8192\n")
    assert host.names() == [("udev", "/etc/systemd/network/00-rx.link", 0, "Match", "", ("ens17",))]


def test_a_link_file_for_all_of_a_driver_is_left_to_its_owner(host):
    host.put("etc/systemd/network/00-all.link", "[Match]\nDriver=mlx5_core\n[Link]\nName=x\n")
    assert host.facts()["names"][0]["kept"] == "it names other interfaces than rails, too"


NETWORK_1 = 'network: {version: 1, config: [{type: physical, name: ib7, mac_address: "0c:42:a1:00:00:11"}]}\n'


def test_cloud_inits_own_network_is_found_and_turned_off(host):
    host.put("usr/bin/cloud-init", "#!")
    host.put("etc/cloud/cloud.cfg", "users: [default]\n")
    host.put("etc/cloud/cloud.cfg.d/50-net.cfg", NETWORK_1)
    file = "/etc/cloud/cloud.cfg.d/50-net.cfg"
    assert host.names() == [("cloud-init", file, 0, "network.config[0].name", "ib7", ("ens17",))]
    assert list(host.edits()) == ["/etc/cloud/cloud.cfg.d/99_zz-gpufabric-network.cfg"]
    host.take_over()
    assert host.names() == []


def test_names_of_a_data_source_are_found_unless_a_file_says_otherwise(host):
    host.put("usr/bin/cloud-init", "#!")
    where = "var/lib/cloud/instance/network-config.json"
    host.put(
        where, '{"version": 2, "ethernets": {"a": {"match": {"macaddress": "0c:42:a1:00:00:10"}, "set-name": "b"}}}'
    )
    assert host.names() == [("cloud-init", f"/{where}", 0, "network.ethernets.a.set-name", "b", ("ens16",))]
    host.put("etc/cloud/cloud.cfg.d/90-x.cfg", "network: {config: disabled}\n")
    assert host.names() == []


@pytest.mark.parametrize("off", ["etc/cloud/cloud-init.disabled", "proc/cmdline", None])
def test_a_cloud_init_that_is_off_or_not_there_names_nothing(host, off):
    host.put("etc/cloud/cloud.cfg.d/50-net.cfg", NETWORK_1)
    if off:
        host.put("usr/bin/cloud-init", "#!")
        host.put(off, "ro cloud-init=disabled")
    assert host.names() == []


def test_what_cloud_init_would_write_again_is_cut_and_cloud_init_turned_off(host):
    host.put("usr/bin/cloud-init", "#!")
    host.put("etc/netplan/50-cloud-init.yaml", BY_CLOUD_INIT)
    assert list(host.edits()) == [
        "/etc/cloud/cloud.cfg.d/99_zz-gpufabric-network.cfg",
        "/etc/netplan/50-cloud-init.yaml",
    ]


def test_a_cloud_init_file_after_ours_cannot_be_turned_off(host):
    host.put("usr/bin/cloud-init", "#!")
    host.put("etc/cloud/cloud.cfg.d/zzz.cfg", NETWORK_1)
    assert "rename it" in host.facts()["names"][0]["kept"]
    assert host.edits() == {}


def test_network_configuration_in_the_kernels_arguments_makes_it_unknown(host):
    host.put("usr/bin/cloud-init", "#!")
    host.put("proc/cmdline", "ro network-config=eyJ9")
    assert host.facts()["names_unread"][0].startswith("/proc/cmdline: network-config=")


PROFILE = """\
[connection]
id=cloud-init ens16
type=ethernet
autoconnect-priority=120

[ethernet]
mac-address=0C:42:A1:00:00:10
"""


def test_a_profile_with_a_higher_priority_is_found_and_moved_away(host):
    file = "etc/NetworkManager/system-connections/cloud-init-ens16.nmconnection"
    host.put(file, PROFILE)
    ((by, _, _, key, name, netdevs),) = host.names()
    assert (by, key, name, netdevs) == (
        "NetworkManager",
        "ethernet.mac-address, autoconnect-priority 120",
        "",
        ("ens16",),
    )
    assert host.edits() == {f"/{file}": None}


@pytest.mark.parametrize(
    "other",
    [("=120", "=99"), ("=120", "=120\nautoconnect=false"), ("00:10", "00:77"), ("=120", "=120\ninterface-name=eth9")],
)
def test_a_profile_that_does_not_take_a_rail_before_ours_is_left_alone(host, other):
    host.put("etc/NetworkManager/system-connections/x.nmconnection", PROFILE.replace(*other))
    assert host.names() == []

"""A host's rails are found by address and read from what iproute2 prints and /sys shows; drift is told fact by fact."""

import importlib.util
import json
import time
from pathlib import Path

import pytest

UTILS = Path(__file__).parents[3] / "plugins/module_utils"


def load(name):
    spec = importlib.util.spec_from_file_location(name, UTILS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


state, drift, way = load("rail_state"), load("rail_drift"), load("way_in")

# In the form that iproute2 6.1.0 (Debian 12) prints, with the keys that are read: two rails and one of the host itself.
LINKS = [
    {
        "ifname": "lo",
        "flags": ["LOOPBACK", "UP", "LOWER_UP"],
        "mtu": 65536,
        "address": "00:00:00:00:00:00",
        "addr_info": [],
    },
    {
        "ifname": "ens3",
        "flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
        "mtu": 1500,
        "max_mtu": 65535,
        "address": "52:54:00:00:00:01",
        "addr_info": [{"family": "inet", "local": "192.0.2.10", "prefixlen": 24, "scope": "global"}],
    },
    {
        "ifname": "rail0",
        "flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
        "mtu": 9000,
        "max_mtu": 9000,
        "address": "0c:42:a1:00:00:10",
        "addr_info": [
            {"family": "inet", "local": "10.168.0.1", "prefixlen": 31, "scope": "global", "label": "rail0"},
            {"family": "inet6", "local": "fe80::e42:a1ff:fe00:10", "prefixlen": 64, "scope": "link"},
        ],
    },
    {
        "ifname": "ens17",
        "flags": ["BROADCAST", "MULTICAST"],
        "mtu": 1500,
        "max_mtu": 0,
        "address": "02:00:00:00:00:99",
        "permaddr": "0c:42:a1:00:00:11",
        "altnames": ["enp0s17"],
        "addr_info": [],
    },
    # Stands on rail0 and bears its MAC address.
    {
        "ifname": "rail0.7",
        "flags": ["UP"],
        "mtu": 9000,
        "address": "0c:42:a1:00:00:10",
        "linkinfo": {"info_kind": "vlan"},
        "addr_info": [],
    },
]
RULES = [
    {"priority": 0, "src": "all", "table": "255", "protocol": "2"},
    {"priority": 1000, "src": "all", "table": "500", "protocol": "0"},  # Spiderpool
    {"priority": 1001, "src": "all", "table": "101", "protocol": "0"},
    {"priority": 1007, "src": "10.175.0.0", "srclen": 16, "table": "107", "protocol": "0"},
    {"priority": 1008, "src": "10.175.0.1", "table": "108", "protocol": "4"},
    {"priority": 20000, "src": "10.168.0.1", "table": "100", "protocol": "4"},
    {"priority": 20006, "src": "10.174.0.1", "table": "106", "protocol": "4"},
    {"priority": 20009, "src": "10.175.0.1", "dst": "10.0.0.1", "table": "109", "protocol": "4"},
    {"priority": 32766, "src": "all", "table": "254", "protocol": "2"},
    {"priority": 32767, "src": "all", "table": "253", "protocol": "2"},
]
RULES_V6 = [
    {"priority": 0, "src": "all", "table": "255", "protocol": "2"},
    {"priority": 512, "src": "all", "fwmark": "0x80", "table": "77", "protocol": "0"},
    {"priority": 32766, "src": "all", "table": "254", "protocol": "2"},
]
ROUTES = [
    {"dst": "10.168.0.0/13", "gateway": "10.168.0.0", "dev": "rail0", "table": "100", "protocol": "4", "flags": []},
    {"dst": "default", "gateway": "192.0.2.1", "dev": "ens3", "flags": []},
    {"dst": "10.168.0.0/16", "gateway": "10.168.0.0", "dev": "rail0", "protocol": "4", "flags": []},
    {"type": "2", "dst": "10.168.0.1", "dev": "rail0", "table": "255", "protocol": "2", "scope": "254", "flags": []},
]
MATCHES = [{"pci": "0000:00:10.0", "mac": None}, {"pci": None, "mac": "0C:42:A1:00:00:11"}]


@pytest.fixture
def root(tmp_path):
    """/sys and /proc of that host: a virtio port at 00:10.0 with Soft-RoCE, one at 00:11.0."""
    net = tmp_path / "sys/class/net"
    for name, slot in {"rail0": "0000:00:10.0", "ens17": "0000:00:11.0"}.items():
        device = tmp_path / f"sys/devices/pci0000:00/{slot}/virtio{slot[-3]}"
        device.mkdir(parents=True)
        driver = tmp_path / "sys/bus/virtio/drivers/virtio_net"
        driver.mkdir(parents=True, exist_ok=True)
        (device / "driver").symlink_to(driver)
        (net / name).mkdir(parents=True)
        (net / name / "device").symlink_to(device)
    gids = tmp_path / "sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs"
    gids.mkdir(parents=True)
    (gids / "0").write_text("rail0\n")
    for name in ("rail0", "ens17"):
        conf = tmp_path / "proc/sys/net/ipv4/conf" / name
        conf.mkdir(parents=True)
        for knob, value in {"rp_filter": 2, "arp_ignore": 0, "arp_announce": 0}.items():
            (conf / knob).write_text(f"{value}\n")
    return tmp_path


def run_with(**changed):
    """What each command prints on that host."""
    outputs = {
        "ip -j -d address show": LINKS,
        "ip -N -d -j -4 rule show": RULES,
        "ip -N -d -j -6 rule show": RULES_V6,
        "systemd-analyze cat-config --no-pager systemd/networkd.conf": "",
        "ip -N -j -4 route show table all": ROUTES,
        "ip -j -4 route show default": [ROUTES[1]],
        "ip -j -6 route show default": [],
        "systemctl is-active NetworkManager.service systemd-networkd.service": "inactive\nactive\n",
        **changed,
    }

    def run(command):
        out = outputs[" ".join(command)]
        return (0, out if isinstance(out, str) else json.dumps(out), "")

    return run


@pytest.fixture
def facts(root):
    return state.collect(MATCHES, run_with(), root, None)


def test_a_rail_is_found_by_pci_address_through_a_virtio_device(facts):
    found = facts["rails"]["0000:00:10.0"]
    assert (found["netdev"], found["pci"], found["driver"]) == ("rail0", "0000:00:10.0", "virtio_net")
    assert (found["mtu_bytes"], found["max_mtu_bytes"], found["up"]) == (9000, 9000, True)
    assert (found["addresses"], found["rdma_device"]) == (["10.168.0.1/31"], "rxe0")


def test_a_rail_is_found_by_its_permanent_mac_whatever_address_it_bears_and_however_it_is_written(facts):
    found = facts["rails"]["0c:42:a1:00:00:11"]
    assert (found["netdev"], found["altnames"], found["max_mtu_bytes"]) == ("ens17", ["enp0s17"], None)
    assert (found["up"], found["rdma_device"]) == (False, None)


def test_a_vlan_on_a_rail_is_not_taken_for_the_rail(root):
    facts = state.collect([{"mac": "0c:42:a1:00:00:10"}], run_with(), root, None)
    assert facts["rails"]["0c:42:a1:00:00:10"]["candidates"] == ["rail0"]


def test_a_match_that_leads_nowhere_is_told_as_such(root):
    facts = state.collect([{"pci": "0000:00:1f.0"}], run_with(), root, None)
    assert facts["rails"]["0000:00:1f.0"]["netdev"] is None
    assert facts["rails"]["0000:00:1f.0"]["candidates"] == []


def test_switchdev_stand_ins_on_the_same_pci_port_are_not_taken_for_the_rail(root):
    port = root / "sys/class/net/rail0"
    other = root / "sys/class/net/pf0vf0"
    other.mkdir()
    (other / "device").symlink_to((port / "device").resolve())
    (other / "phys_port_name").write_text("pf0vf0\n")
    (port / "phys_port_name").write_text("p0\n")
    links = [*LINKS, {**LINKS[2], "ifname": "pf0vf0"}]
    facts = state.collect(MATCHES, run_with(**{"ip -j -d address show": links}), root, None)
    assert facts["rails"]["0000:00:10.0"]["netdev"] == "rail0"


def test_rules_and_routes_are_told_by_table_without_the_kernels_own(facts):
    assert [each["priority"] for each in facts["rules"]] == [1000, 1001, 1007, 1008, 20000, 20006, 20009]
    assert facts["rules"][2]["from"] == "10.175.0.0/16"
    assert [each["selectors"] for each in facts["rules"]] == [[]] * 6 + [["dst"]]
    assert [each["priority"] for each in facts["others_rules"]] == [1000, 1001, 1007, 512]
    assert facts["routes"]["100"] == [{"to": "10.168.0.0/13", "via": "10.168.0.0", "dev": "rail0"}]
    assert set(facts["routes"]) == {"main", "100"}


def test_the_interfaces_we_are_reached_by_are_known_by_default_route_and_by_session(root):
    silent = run_with(**{"ip -j -4 route show default": []})
    assert state.collect(MATCHES, run_with(), root, None)["management"] == ["ens3"]
    came = way.Session("10.168.7.1", 40000, "10.168.0.1", 22, "tool")
    assert state.collect(MATCHES, silent, root, came)["management"] == ["rail0"]
    link_local = came._replace(client="fe80::1%rail0", server="fe80::e42:a1ff:fe00:10%rail0")
    assert state.collect(MATCHES, silent, root, link_local)["management"] == ["rail0"]
    elsewhere = link_local._replace(server="fe80::e42:a1ff:fe00:10%ens3")
    assert state.collect(MATCHES, silent, root, elsewhere)["management"] == []


@pytest.mark.parametrize(
    ("active", "listed", "netplan", "expected"),
    [
        ("inactive\nactive\n", "", False, ("networkd", "networkd")),
        ("active\ninactive\n", "", False, ("networkmanager", "networkmanager")),
        (
            "active\nactive\n",
            "1 lo loopback carrier unmanaged\n2 a ether routable configured\n",
            False,
            ("networkd",) * 2,
        ),
        (
            "active\nactive\n",
            "1 lo loopback carrier unmanaged\n2 a ether off unmanaged\n",
            False,
            ("networkmanager",) * 2,
        ),
        ("inactive\nactive\n", "", True, ("netplan", "networkd")),
        ("active\ninactive\n", "", True, ("netplan", "networkmanager")),
        ("inactive\ninactive\n", "", False, ("none", "none")),
        ("inactive\ninactive\n", "", True, ("netplan", "none")),
    ],
)
def test_the_manager_is_the_one_that_runs_the_host(root, active, listed, netplan, expected):
    if netplan:
        (root / "etc/netplan").mkdir(parents=True)
        (root / "etc/netplan/50-cloud-init.yaml").touch()
        (root / "usr/sbin").mkdir(parents=True)
        (root / "usr/sbin/netplan").touch()
    outputs = {
        "systemctl is-active NetworkManager.service systemd-networkd.service": active,
        "networkctl --no-pager --no-legend list": listed,
    }
    facts = state.collect(MATCHES, run_with(**outputs), root, None)
    assert (facts["manager"], facts["backend"]) == expected


def test_a_command_that_fails_is_told_and_never_read_as_nothing_there(root):
    def run(command):
        return (1, "", "Cannot open netlink socket") if "rule" in command else run_with()(command)

    with pytest.raises(state.CannotReadError, match=r"rule show.*Cannot open netlink socket"):
        state.collect(MATCHES, run, root, None)


RAIL = {
    "rail": 0,
    "name": "rail0",
    "match": {"pci": "0000:00:10.0"},
    "address": "10.168.0.1",
    "prefix_length": 31,
    "gateway": "10.168.0.0",
    "mtu_bytes": 9000,
    "supernet": "10.168.0.0/16",
    "table": 100,
}
PLANE = "10.168.0.0/13"


def drifted(facts, rail=RAIL, plane=PLANE, strict=False, first=20000, link_local=True):
    found = set(drift.found_lines(rail, facts, strict, link_local))
    wanted = set(drift.wanted_lines(rail, plane, strict, first))
    return sorted(found - wanted), sorted(wanted - found)


def test_a_rail_that_is_as_wanted_has_not_drifted(facts):
    assert drifted(facts) == ([], [])


@pytest.mark.parametrize(
    ("changed", "found", "wanted"),
    [
        ({"mtu_bytes": 4200}, "rail0 mtu 9000", "rail0 mtu 4200"),
        ({"prefix_length": 30}, "rail0 address 10.168.0.1/31", "rail0 address 10.168.0.1/30"),
        ({"name": "rdma0"}, "rail 0 is rail0", "rail 0 is rdma0"),
    ],
)
def test_each_change_of_a_variable_is_drift(facts, changed, found, wanted):
    has, lacks = drifted(facts, {**RAIL, **changed})
    assert (has, lacks) == ([found], [wanted])


def test_a_link_local_address_is_drift_where_rails_have_none(facts):
    assert drifted(facts) == ([], [])
    assert drifted(facts, link_local=False) == (["rail0 address fe80::e42:a1ff:fe00:10/64"], [])
    assert drift.needs_manager([RAIL], facts, PLANE, False, False) == ["rail0 address fe80::e42:a1ff:fe00:10/64"]
    assert drift.needs_manager([RAIL], facts, PLANE, False) == []


def test_a_changed_gateway_is_drift_in_both_tables(facts):
    has, lacks = drifted(facts, {**RAIL, "gateway": "10.168.0.2"})
    assert (len(has), len(lacks)) == (2, 2)


SHARED = {**RAIL, "address": "10.168.0.2", "prefix_length": 23, "gateway": "10.168.0.1", "subnet": "10.168.0.0/23"}


def sharing(subnet="10.168.0.0/23", main="10.168.0.0/16"):
    """What the kernel shows of routes where hosts share the leaf's subnet."""
    via = {"gateway": "10.168.0.1", "dev": "rail0", "flags": []}
    near = {"dst": subnet, "dev": "rail0", "flags": []}
    far = [] if main == subnet else [{"dst": main, **via}]
    return [{"dst": "10.168.0.0/13", "table": "100", **via}, {**near, "table": "100"}, near, *far]


def test_hosts_of_one_subnet_reach_one_another_without_their_leaf(root):
    run = run_with(**{"ip -N -j -4 route show table all": sharing()})
    has, lacks = drifted(state.collect(MATCHES, run, root, None), SHARED)
    assert [line for line in (*has, *lacks) if line.startswith("table")] == []
    without = [each for each in sharing() if each.get("table") != "100" or "gateway" in each]
    run = run_with(**{"ip -N -j -4 route show table all": without})
    lacks = drifted(state.collect(MATCHES, run, root, None), SHARED)[1]
    assert [line for line in lacks if line.startswith("table")] == ["table 100: 10.168.0.0/23 dev rail0"]


def test_a_rail_that_is_one_subnet_has_nothing_behind_its_leaf(root):
    run = run_with(**{"ip -N -j -4 route show table all": sharing(main="10.168.0.0/23")})
    has, lacks = drifted(state.collect(MATCHES, run, root, None), {**SHARED, "supernet": "10.168.0.0/23"})
    assert [line for line in (*has, *lacks) if line.startswith("table")] == []


def test_arp_settings_are_wanted_only_where_rails_share_a_subnet(facts):
    assert drifted(facts, strict=True)[1] == [
        "net.ipv4.conf.rail0.arp_announce = 2",
        "net.ipv4.conf.rail0.arp_ignore = 1",
    ]


def test_rules_of_a_rail_that_is_no_more_are_stale_and_other_peoples_are_not(facts):
    stale = drift.stale_rules([RAIL], facts, PLANE, 20000)
    assert [each["priority"] for each in stale] == [1008, 20006]
    assert drift.stale_rules([RAIL], facts, "10.168.0.0/16", 20000) == []


def test_a_rule_at_another_priority_is_the_rails_and_of_its_former_priority_others_are_not(facts):
    assert drifted(facts, first=1000) == (
        ["rule 20000: from 10.168.0.1 lookup 100"],
        ["rule 1000: from 10.168.0.1 lookup 100"],
    )


CONF = """# /etc/systemd/networkd.conf
[Network]
#ManageForeignRoutes=yes

# /etc/systemd/networkd.conf.d/90-gpufabric-rails.conf
[Network]
ManageForeignRoutingPolicyRules=no
ManageForeignRoutes=False
"""
STARTED = "systemctl show --property=ExecMainStartTimestampMonotonic systemd-networkd.service"


@pytest.mark.parametrize(
    ("conf", "started_before_s", "expected"),
    [
        ("", 0, "no"),
        (CONF, -5, "now"),
        (CONF, 60, "from its next start on"),
        (CONF.replace("=no", "=yes"), -5, "no"),
        (CONF + "ManageForeignRoutes=true\n", -5, "no"),
    ],
)
def test_networkd_leaves_others_rules_alone_only_if_it_started_by_files_that_say_so(
    root, conf, started_before_s, expected
):
    """``started_before_s``: how long before its file was written networkd started."""
    file = root / "etc/systemd/networkd.conf.d/90-gpufabric-rails.conf"
    file.parent.mkdir(parents=True)
    file.write_text("")
    started = f"ExecMainStartTimestampMonotonic={int((time.monotonic() - started_before_s) * 1e6)}\n"
    outputs = {"systemd-analyze cat-config --no-pager systemd/networkd.conf": conf, STARTED: started}
    facts = state.collect(MATCHES, run_with(**outputs), root, None)
    assert facts["networkd_leaves_others"] == expected
    lost = drift.at_risk([RAIL], facts)
    assert lost == ([] if expected == "now" else [
        "1000: from all lookup 500",
        "1001: from all lookup 101",
        "1007: from 10.175.0.0/16 lookup 107",
        "512: from all lookup 77",
    ])  # fmt: skip


def test_under_networkmanager_nobody_takes_others_rules_away(root):
    active = {"systemctl is-active NetworkManager.service systemd-networkd.service": "active\ninactive\n"}
    assert drift.at_risk([RAIL], state.collect(MATCHES, run_with(**active), root, None)) == []

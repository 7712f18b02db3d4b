"""The candidate is the running text with our lines exchanged; the switch's patch must say the same as the plan."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from nornir_tasks.design.config.load_balancing import LoadBalancing
from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import Change, ConfigTree, difference
from nornir_tasks.platforms.nxos import PLATFORM
from nornir_tasks.platforms.nxos.patch import commands, server_changes, settle
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Candidate, Parsed
from tests.unit.platforms.nxos_examples import FACTS, claims, leaf, rendered, split_leaf

BROWNFIELD = (Path(__file__).parent / "nxos_brownfield.txt").read_text()


def owned(text: str, config: DeviceConfig) -> ConfigTree:
    parts = split(PLATFORM.to_tree(text), PLATFORM.ownership, claims(config))
    return join(part for owner, part in parts.items() if owner is not None)


def foreign(text: str, config: DeviceConfig) -> ConfigTree:
    return split(PLATFORM.to_tree(text), PLATFORM.ownership, claims(config))[None]


def wanted(config: DeviceConfig) -> ConfigTree:
    tree = PLATFORM.canonical(PLATFORM.to_tree(rendered(config)))
    parts = split(tree, PLATFORM.ownership, claims(config))
    assert not parts[None], f"rendered lines that nobody owns: {parts[None].paths()}"
    return join(parts.values())


def candidate(text: str, config: DeviceConfig) -> Candidate:
    return PLATFORM.candidate(PLATFORM.to_tree(text), owned(text, config), wanted(config))


def test_what_was_there_before_belongs_to_nobody() -> None:
    config = leaf()
    assert owned(BROWNFIELD, config).paths() == {
        ("feature bgp",),
        *((f"interface {port.name}",) for port in config.interfaces if port.name != "loopback0"),
        ("router bgp 4200000002",),
    }


def test_every_line_that_is_not_ours_stays_byte_for_byte() -> None:
    config = leaf()
    payload = candidate(BROWNFIELD, config).payload
    rows = payload.splitlines(keepends=True)
    kept = iter(rows)
    missing = [row for row in BROWNFIELD.splitlines(keepends=True) if row not in kept]
    assert missing == [], "rows of the running configuration are gone or out of order"
    assert foreign(payload, config) == foreign(BROWNFIELD, config)
    assert owned(payload, config) == wanted(config)
    assert PLATFORM.parse(owned(payload, config), FACTS, config.name, config.model) == Parsed(config, ConfigTree())


def test_a_second_push_has_nothing_to_do_and_changes_no_byte() -> None:
    config = leaf()
    first = candidate(BROWNFIELD, config).payload
    second = candidate(first, config)
    assert second.changes == ()
    assert second.payload == first


def test_a_line_that_nobody_rendered_goes_and_its_neighbours_stay() -> None:
    config = leaf()
    first = candidate(BROWNFIELD, config).payload
    touched = first.replace("  ip address 10.160.0.1/31\n", "  ip address 10.160.0.1/31\n  flowcontrol receive on\n")
    repair = candidate(touched, config)
    assert repair.changes == (Change(("interface Ethernet1/33", "flowcontrol receive on"), "-"),)
    assert repair.payload == first


def test_a_changed_value_is_exchanged_in_its_place() -> None:
    config = leaf()
    first = candidate(BROWNFIELD, config).payload
    touched = first.replace(
        "    remote-as 4200000000\n    description spine-1", "    remote-as 65001\n    description spine-1"
    )
    repair = candidate(touched, config)
    assert set(repair.changes) == {
        Change(("router bgp 4200000002", "neighbor 10.160.0.2", "remote-as 65001"), "-"),
        Change(("router bgp 4200000002", "neighbor 10.160.0.2", "remote-as 4200000000"), "+"),
    }
    assert repair.payload == first


@pytest.mark.parametrize(
    "lost", ["feature lldp", "system qos", "interface loopback0", "route-map COMPUTE-OUT permit 10"]
)
def test_a_lost_block_comes_back_where_the_switch_prints_it(lost: str) -> None:
    config = leaf()
    first = candidate(BROWNFIELD, config).payload
    cut: list[str] = []
    inside = False
    for row in first.splitlines(keepends=True):
        inside = row.rstrip() == lost or (inside and row.startswith("  "))
        if not inside:
            cut.append(row)
    repaired = candidate("".join(cut), config).payload
    assert PLATFORM.to_tree(repaired) == PLATFORM.to_tree(first)
    order = [
        line for line in PLATFORM.to_tree(repaired).children if line.split(" ")[0] in {"feature", "router", "boot"}
    ]
    assert order == [
        line for line in PLATFORM.to_tree(first).children if line.split(" ")[0] in {"feature", "router", "boot"}
    ]


def test_a_banner_is_text_and_not_configuration() -> None:
    tree = PLATFORM.to_tree(BROWNFIELD)
    assert "interface Ethernet1/1 is the rail, mind the step" not in tree.children
    assert any(line.startswith("banner motd @\nOnly for staff.") for line in tree.children)
    assert PLATFORM.to_tree("banner motd @one line@\nfeature bgp\n").get("feature bgp") is not None
    assert PLATFORM.to_tree("banner motd ^C\nCome and go\n^C\nfeature bgp\n").get("feature bgp") is not None


@pytest.mark.parametrize(
    "banner",
    [
        "banner motd EOF\ninterface Ethernet1/1\nEOF",
        "banner motd EOT\ninterface Ethernet1/1\nend of text: E",
        "banner motd ^CStaff only\ninterface Ethernet1/1\n^",
        "banner exec  ##\nvlan 7",
        "banner exec *multi\nline*garbage",
        "banner motd ^oneline^",
    ],
)
def test_the_first_character_of_the_delimiter_alone_ends_a_banner(banner: str) -> None:
    tree = PLATFORM.to_tree(f"hostname x\n{banner}\nfeature bgp\nrouter bgp 65001\n  router-id 10.0.0.1\n")
    assert tree.get("feature bgp") is not None
    assert tree.get("router bgp 65001", "router-id 10.0.0.1") is not None
    assert tree.get("interface Ethernet1/1") is None


def test_both_rows_of_a_line_said_twice_go_and_the_others_stay() -> None:
    config = leaf()
    first = candidate(BROWNFIELD, config).payload
    port = "interface Ethernet1/1\n"
    twice = first.replace(port, f"{port}  delay 7\n", 1).replace(
        "\ninterface loopback0", f"\n{port}  delay 7\ninterface loopback0", 1
    )
    assert twice.count("  delay 7\n") == 2
    repaired = candidate(twice, config).payload
    assert "delay 7" not in repaired
    assert PLATFORM.to_tree(repaired) == PLATFORM.to_tree(first)


def test_equal_as_numbers_written_with_a_dot_are_no_difference_and_their_rows_stay() -> None:
    config = leaf()
    assert config.bgp is not None
    first = candidate(BROWNFIELD, config).payload
    dotted = "as-format asdot\n" + re.sub(
        r"(?m)^( *(?:router bgp|remote-as) )(42\d{8})$",
        lambda found: f"{found[1]}{int(found[2]) // 65536}.{int(found[2]) % 65536}",
        first,
    )
    assert f"router bgp {config.bgp.asn}\n" not in dotted
    made = candidate(dotted, config)
    assert made.changes == ()
    assert made.payload == dotted


def test_the_switchs_patch_may_write_as_numbers_with_a_dot() -> None:
    running = PLATFORM.to_tree("router bgp 4200000002\n  neighbor 10.0.0.0\n    remote-as 65000\n")
    patch = "`router bgp 64086.59906`\n`neighbor 10.0.0.0`\n`remote-as 64086.59904`\n"
    path = ("router bgp 4200000002", "neighbor 10.0.0.0")
    assert settle(server_changes(patch), running) == {
        Change((*path, "remote-as 65000"), "-"),
        Change((*path, "remote-as 4200000000"), "+"),
    }


PROTECTED = [
    "username admin password 5 x role network-admin",
    "aaa authentication login default group aaa_server_group1 local",
    "feature nxapi",
    "no feature ssh",
    "nxapi use-vrf management",
    "interface mgmt0",
    "interface mgmt0 / ip address 10.0.0.73/24",
    "vrf context management / ip route 0.0.0.0/0 10.0.0.2",
    "boot nxos bootflash:/other.bin",
    "copp profile lenient",
    "line vty / access-class OTHER in",
    "tacacs-server host 192.0.2.2",
    "hostname other",
]


@pytest.mark.parametrize("path", PROTECTED)
def test_our_own_path_to_the_switch_is_protected(path: str) -> None:
    assert any(re.match(pattern, path) for pattern in PLATFORM.protected)


def test_nothing_that_we_render_is_protected() -> None:
    for path in sorted(wanted(leaf()).paths()):
        joined = " / ".join(path)
        assert not any(re.match(pattern, joined) for pattern in PLATFORM.protected), joined


# The patch of a published session on NX-OS 9.3(1) ("configure replace bootflash:///running-config.cfg verify-only").
SESSION = """
Version match between user file and running configuration.
Pre-check for User config PASSED
Collecting Running-Config
Converting to checkpoint file
Generating Rollback Patch
Validating Patch
========================================================
`config t `
`interface Ethernet1/8`
`no switchport trunk allowed vlan`
`exit`
`interface Ethernet1/7`
`no description TEST`
`exit`
`no interface port-channel3`
`ip access-list 50`
`no 100`
`exit`
`feature scp-server`
`ip access-list 50`
`130 permit ip 2.2.2.1/32 any`
`interface Ethernet1/7`
`switchport access vlan 1`
========================================================
Patch validation completed successful
"""
BEFORE = """
interface port-channel3
  switchport trunk allowed vlan 3
interface Ethernet1/7
  description TEST
  switchport access vlan 33
interface Ethernet1/8
  switchport trunk allowed vlan 3
ip access-list 50
  100 permit ip 1.1.1.1/32 any
"""


def test_a_published_patch_is_understood() -> None:
    assert commands(SESSION)[:2] == ("config t", "interface Ethernet1/8")
    assert settle(server_changes(SESSION), PLATFORM.to_tree(BEFORE)) == {
        Change(("interface Ethernet1/8", "switchport trunk allowed vlan 3"), "-"),
        Change(("interface Ethernet1/7", "description TEST"), "-"),
        Change(("interface Ethernet1/7", "switchport access vlan 33"), "-"),  # VLAN 1 is not printed
        Change(("interface port-channel3",), "-"),
        Change(("interface port-channel3", "switchport trunk allowed vlan 3"), "-"),
        Change(("ip access-list 50", "100 permit ip 1.1.1.1/32 any"), "-"),
        Change(("ip access-list 50", "130 permit ip 2.2.2.1/32 any"), "+"),
        Change(("feature scp-server",), "+"),
    }


def patch_of(running: ConfigTree, wanted_tree: ConfigTree) -> str:
    """A patch as the switch prints it: removals first, each mode entered by its header and left by exit."""
    lines = ["config t "]

    def enter(path: tuple[str, ...], command: str) -> None:
        lines.extend([*path, command, *("exit" for _ in path)])

    changes = list(difference(running, wanted_tree))
    gone = {change.path for change in changes if change.op == "-"}
    for change in changes:
        if change.op == "-" and change.path[:-1] not in gone:
            line = change.path[-1]
            enter(change.path[:-1], line[3:] if line.startswith("no ") else f"no {line}")
    for change in changes:
        if change.op == "+":
            enter(change.path[:-1], change.path[-1])
            lines.extend("exit" for _ in [0] if wanted_tree.get(*change.path).children)  # type: ignore[union-attr]
    return "\n".join(f"`{line}`" for line in lines)


def test_the_switches_patch_equals_the_plan() -> None:
    config = leaf()
    made = candidate(BROWNFIELD, config)
    patch = patch_of(PLATFORM.to_tree(BROWNFIELD), PLATFORM.to_tree(made.payload))
    assert settle(server_changes(patch), PLATFORM.to_tree(BROWNFIELD)) == frozenset(made.changes)


@pytest.mark.parametrize(
    ("before", "patch", "changes"),
    [
        ("mtu 9000", ["mtu 9216"], {("mtu 9000", "-"), ("mtu 9216", "+")}),
        ("mtu 9216", ["no mtu 9216"], {("mtu 9216", "-")}),
        ("mtu 9216", ["mtu 1500"], {("mtu 9216", "-")}),
        ("shutdown", ["no shutdown"], {("shutdown", "-")}),
        ("mtu 9216", ["shutdown"], {("shutdown", "+")}),
        ("no switchport\n  no shutdown", ["shutdown"], {("no shutdown", "-")}),
        ("no switchport", ["no shutdown"], {("no shutdown", "+")}),
        ("no switchport\n  no shutdown", ["switchport"], {("no switchport", "-"), ("no shutdown", "-")}),
        (
            "no switchport\n  no shutdown",
            ["switchport", "shutdown"],
            {("no switchport", "-"), ("no shutdown", "-"), ("shutdown", "+")},
        ),
        ("shutdown", ["no switchport"], {("shutdown", "-"), ("no switchport", "+")}),
        (
            "shutdown",
            ["no switchport", "no shutdown"],
            {("shutdown", "-"), ("no switchport", "+"), ("no shutdown", "+")},
        ),
        ("speed 400000", ["speed 200000"], {("speed 400000", "-"), ("speed 200000", "+")}),
        ("speed 400000", ["no speed"], {("speed 400000", "-")}),
        ("fec rs-fec", ["fec off"], {("fec rs-fec", "-"), ("fec off", "+")}),
        ("fec rs-fec", ["fec auto"], {("fec rs-fec", "-")}),
        ("mtu 9216", ["no negotiate auto"], {("no negotiate auto", "+")}),
        ("no negotiate auto", ["negotiate auto"], {("no negotiate auto", "-")}),
        ("no ip redirects", ["ip redirects"], {("no ip redirects", "-")}),
        ("mtu 9216", ["no ip redirects"], {("no ip redirects", "+")}),
        ("description old", ["description new"], {("description old", "-"), ("description new", "+")}),
        ("description old", ["no description"], {("description old", "-")}),
        ("description old", ["no description old", "description old"], set()),
    ],
)
def test_what_a_command_does_to_what_runs(before: str, patch: list[str], changes: set[tuple[str, str]]) -> None:
    running = PLATFORM.to_tree(f"interface Ethernet1/1\n  {before}\n")
    text = "\n".join(f"`{line}`" for line in ["config t", "interface Ethernet1/1", *patch, "exit"])
    expected = {(("interface Ethernet1/1", line), op) for line, op in changes}
    assert {(each.path, each.op) for each in settle(server_changes(text), running)} == expected


def test_disruption_names_what_hurts() -> None:
    def of(*path: str, op: str = "+") -> Disruption:
        return PLATFORM.disruption(Change(path, op))  # type: ignore[arg-type]

    assert of("policy-map type queuing GPUFABRIC-EGRESS", "class type queuing c-out-8q-q3") is Disruption.DATAPLANE_BLIP
    assert of("interface Ethernet1/1", "no shutdown") is Disruption.PORT_FLAP
    assert of("router bgp 1", op="-") is Disruption.AGENT_RESTART
    assert of("router bgp 1") is Disruption.NONE
    assert of("interface Ethernet1/1", "description x") is Disruption.NONE


def split_claims_text(ports: str) -> str:
    return BROWNFIELD.replace("ip access-list ACL1v4\n", f"{ports}ip access-list ACL1v4\n")


def test_a_broken_out_cage_replaces_the_port_and_a_strangers_cages_stay_broken_out() -> None:
    config = split_leaf()
    before = split_claims_text("interface breakout module 1 port 2,8-9 map 10g-4x\n")
    made = candidate(before, config)
    rows = made.payload.splitlines()
    assert sorted(row for row in rows if row.startswith("interface breakout")) == [
        "interface breakout module 1 port 1 map 200g-2x",
        "interface breakout module 1 port 2 map 100g-4x",
        "interface breakout module 1 port 31 map 200g-2x",
        "interface breakout module 1 port 8 map 10g-4x",
        "interface breakout module 1 port 9 map 10g-4x",
    ]
    assert "interface Ethernet1/1" not in rows
    assert rows.index("interface breakout module 1 port 31 map 200g-2x") < rows.index("interface Ethernet1/1/1")
    assert foreign(made.payload, config) == foreign(before, config)
    assert owned(made.payload, config) == wanted(config)
    assert candidate(made.payload, config).changes == ()


def test_the_switch_may_print_our_cages_in_one_line_with_a_strangers() -> None:
    config = split_leaf()
    first = candidate(BROWNFIELD, config).payload
    ours = [row for row in first.splitlines(keepends=True) if row.startswith("interface breakout")]
    merged = first.replace("".join(ours), "interface breakout module 1 port 1,9,31 map 200g-2x\n" + ours[1])
    again = candidate(merged, config)
    assert (again.changes, again.payload) == ((), merged)
    assert ("interface breakout module 1 port 9 map 200g-2x",) in foreign(merged, config).paths()


def test_a_cage_that_is_used_as_a_whole_is_no_longer_broken_out_and_its_parts_are_gone() -> None:
    config = split_leaf()
    parts = "interface breakout module 1 port 3 map 100g-2x\n"
    before = candidate(split_claims_text(parts), config).payload.replace(
        "interface Ethernet1/3\n", "interface Ethernet1/3/1\n  no switchport\n  mtu 9000\ninterface Ethernet1/3\n"
    )
    made = candidate(before + parts, config)
    assert Change((parts.strip(),), "-") in made.changes
    assert Change(("interface Ethernet1/3/1", "mtu 9000"), "-") in made.changes
    assert "Ethernet1/3/1" not in made.payload
    assert parts not in made.payload


@pytest.mark.parametrize("start", ["interface Ethernet1/1\n  no switchport\n  mtu 9000\n", ""])
def test_the_switchs_patch_over_a_broken_out_cage_equals_the_plan(start: str) -> None:
    config = split_leaf()
    before = PLATFORM.to_tree(BROWNFIELD.replace("interface Ethernet1/1\n", start))
    made = PLATFORM.candidate(before, owned(PLATFORM.to_text(before), config), wanted(config))
    assert settle(server_changes(patch_of(before, PLATFORM.to_tree(made.payload))), before) == frozenset(made.changes)
    # the whole port goes with the breakout: the switch need not say so
    silent = patch_of(before, PLATFORM.to_tree(made.payload)).replace("`no interface Ethernet1/1`\n", "")
    assert settle(server_changes(silent), before) == frozenset(made.changes)


def test_commands_over_several_ports_read_as_one_change_for_each() -> None:
    text = "`config t`\n`interface Ethernet1/9`\n`mtu 9216`\n`interface breakout module 1 port 1-2 map 200g-2x`\n"
    assert server_changes(text) == {
        Change(("interface Ethernet1/9",), "+"),
        Change(("interface Ethernet1/9", "mtu 9216"), "+"),
        Change(("interface breakout module 1 port 1 map 200g-2x",), "+"),
        Change(("interface breakout module 1 port 2 map 200g-2x",), "+"),
    }


def test_layer_1_changes_take_the_port_down() -> None:
    for path in (
        ("interface breakout module 1 port 1 map 200g-2x",),
        ("interface Ethernet1/1/1", "speed 200000"),
        ("interface Ethernet1/1/1", "fec rs-fec"),
        ("interface Ethernet1/1/1", "no negotiate auto"),
        ("interface Ethernet1/4", "shutdown"),
    ):
        assert PLATFORM.disruption(Change(path, "+")) is Disruption.PORT_FLAP


def balancing(mode: str = "flowlet", ports: tuple[str, ...] = ("Ethernet1/33", "Ethernet1/34")) -> DeviceConfig:
    return replace(leaf(), release="10.5(1)", load_balancing=LoadBalancing(mode, ports, None))  # type: ignore[arg-type]


@pytest.mark.parametrize("row", ["Eth1/33,Eth1/34", "Ethernet1/33 , Ethernet1/34", "Eth1/33-34"])
def test_ports_of_load_balancing_may_stand_in_one_row(row: str) -> None:
    first = candidate(BROWNFIELD, balancing()).payload
    typed = "  dlb-interface Ethernet1/33\n  dlb-interface Ethernet1/34\n"
    assert typed in first
    printed = first.replace("  mode flowlet\n", "").replace(typed, f"  dlb-interface {row}\n")
    assert candidate(printed, balancing()).changes == ()
    assert candidate(printed, balancing()).payload == printed
    one = candidate(printed, balancing(ports=("Ethernet1/33",)))
    assert one.changes == (Change(("hardware profile dlb", "dlb-interface Ethernet1/34"), "-"),)
    assert "hardware profile dlb\n  dlb-interface Ethernet1/33\n" in one.payload
    assert "1/34\n" not in one.payload.partition("hardware profile dlb")[2].partition("\ninterface")[0]


def test_a_strangers_line_in_the_one_profile_goes_and_his_other_profiles_stay() -> None:
    first = candidate(BROWNFIELD, balancing()).payload
    touched = first.replace(
        "hardware profile dlb\n", "hardware profile ecmp resilient\nhardware profile dlb\n  flowlet-aging 9\n"
    )
    repair = candidate(touched, balancing())
    assert repair.changes == (Change(("hardware profile dlb", "flowlet-aging 9"), "-"),)
    assert "hardware profile ecmp resilient\n" in repair.payload


PATCHES = [
    ((), ["hardware profile dlb", "mode per-packet", "dlb-interface Eth1/33,Eth1/34"], "per_packet"),
    (("flowlet",), ["hardware profile dlb", "mode per-packet"], "per_packet"),
    (("per_packet",), ["hardware profile dlb", "no mode per-packet"], "flowlet"),
]


@pytest.mark.parametrize(("before", "patch", "mode"), PATCHES)
def test_the_switchs_patch_of_the_profile_equals_the_plan(before: tuple[str, ...], patch: list[str], mode: str) -> None:
    start = candidate(BROWNFIELD, balancing(*before) if before else leaf()).payload
    made = candidate(start, balancing(mode))
    reported = server_changes("\n".join(f"`{command}`" for command in ("config t ", *patch, "exit")))
    assert settle(reported, PLATFORM.to_tree(start)) == frozenset(made.changes)
    assert {PLATFORM.disruption(change) for change in made.changes} == {Disruption.RELOAD}


MANAGED = """\
feature nxapi
class-map type control-plane match-any OURS
  match access-group name ACL-CPU
line vty
  ip access-class ACL-VTY in
interface mgmt0
  ip access-group ACL-PORT in
interface Ethernet1/1
  no switchport
  ip address 10.168.0.0/31
  ip access-group COMPUTE-HOSTS in
"""


@pytest.mark.parametrize(
    ("address", "line", "is_refused"),
    [
        ("  ip address 192.0.2.5/24\n", "ip access-list ACL-CPU / 10 deny ip any any", True),
        ("  ip address 192.0.2.5/24\n", "no ip access-list ACL-VTY", True),
        ("  ip address 192.0.2.5/24\n", "ip access-list ACL-PORT / 10 permit ip any any", True),
        ("  ip address 192.0.2.5/24\n", "ip access-list COMPUTE-HOSTS / 10 deny ip any any", False),
        ("  ip address 192.0.2.5/24\n", "interface Ethernet1/1 / ip access-group COMPUTE-HOSTS in", False),
        ("", "ip access-list COMPUTE-HOSTS / 10 deny ip any any", True),
        ("", "interface Ethernet1/1 / ip access-group COMPUTE-HOSTS in", True),
        ("", "interface Ethernet1/10 / ip access-group COMPUTE-HOSTS in", False),
    ],
)
def test_a_list_on_our_own_path_is_protected_and_any_other_is_not(address: str, line: str, *, is_refused: bool) -> None:
    """Without an address on mgmt0 the switch is reached through its other ports."""
    running = PLATFORM.to_tree(MANAGED.replace("interface mgmt0\n", f"interface mgmt0\n{address}"))
    patterns = PLATFORM.management_path(running)
    assert any(re.match(pattern, line) for pattern in (*PLATFORM.protected, *patterns)) is is_refused

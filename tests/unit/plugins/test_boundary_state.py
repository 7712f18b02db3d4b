"""What a host of the boundary says of itself, as its programs print it, is read as it is meant."""

import json
import struct
from ipaddress import IPv6Address

from ansible_collections.gpufabric.host.plugins.module_utils import boundary_state, wire_probe

# conntrackd 1.4.7 (Debian 12) between two network namespaces, its columns as printed.
STATISTICS = """\
cache internal:
current active connections:\t           4
connections created:\t\t           9\tfailed:\t           0
connections updated:\t\t           0\tfailed:\t           0
connections destroyed:\t\t           5\tfailed:\t           0

cache external:
current active connections:\t           2
connections created:\t\t           2\tfailed:\t           0
connections updated:\t\t           0\tfailed:\t           0
connections destroyed:\t\t           0\tfailed:\t           0

traffic processed:
                   0 Bytes                         0 Pckts

UDP traffic (active device=sync):
                 144 Bytes sent                  144 Bytes recv
                   9 Pckts sent                    RECEIVED Pckts recv
                   0 Error send                    0 Error recv

message tracking:
                   0 Malformed msgs                    0 Lost msgs

"""


def program(answers):
    """Command -> (code, output, errors); a list is given out one by one."""

    def run(command):
        found = answers[" ".join(command)]
        return found.pop(0) if isinstance(found, list) else found

    return run


def conntrackd(*received):
    outputs = [(0, STATISTICS.replace("RECEIVED", str(each)), "") for each in received]
    return boundary_state.connections(program({"conntrackd -C c -s": outputs}), "c", wait=lambda _: None)


def test_the_other_firewall_is_heard_where_packets_of_it_come_in_meanwhile():
    assert conntrackd(9, 11) == {"heard": True, "internal": 4, "external": 2}
    assert conntrackd(9, 9)["heard"] is False


def test_a_daemon_that_does_not_answer_says_why():
    run = program(
        {
            "conntrackd -C c -s": (
                1,
                "",
                "[now] (pid=7) [warning] a word\n[now] (pid=7) [ERROR] can't connect: is conntrackd running?\n",
            )
        }
    )
    assert boundary_state.connections(run, "c") == {"reason": "can't connect: is conntrackd running?"}


def test_default_routes_and_single_addresses_have_their_lengths():
    run = program(
        {
            "ip -json -4 route": (
                0,
                json.dumps(
                    [
                        {"dst": "default", "gateway": "203.0.113.4", "dev": "wan"},
                        {"dst": "192.0.2.1", "gateway": "203.0.113.4", "dev": "wan"},
                        {"dst": "203.0.113.0/29", "dev": "wan"},
                    ]
                ),
                "",
            ),
            "ip -json -6 route": (0, json.dumps([{"dst": "default", "gateway": "fe80::1", "dev": "wan"}]), ""),
        }
    )
    assert boundary_state.routes(run) == [
        "0.0.0.0/0 via 203.0.113.4 dev wan",
        "192.0.2.1/32 via 203.0.113.4 dev wan",
        "::/0 via fe80::1 dev wan",
    ]


def chain(table, name, **more):
    return {"chain": {"family": "ip", "table": table, "name": name, **more}}


def test_chains_of_others_count_where_they_do_something_to_packets_that_pass():
    listed = [
        chain("filter", "FORWARD", hook="forward", policy="drop"),
        chain("filter", "INPUT", hook="input", policy="drop"),
        chain("nat", "POSTROUTING", hook="postrouting", policy="accept"),
        chain("idle", "forward", hook="forward", policy="accept"),
        chain("gpufabric_firewall", "forward", hook="forward", policy="drop"),
        {"rule": {"family": "ip", "table": "nat", "chain": "POSTROUTING", "expr": []}},
    ]
    run = program({"nft -j list ruleset": (0, json.dumps({"nftables": listed}), "")})
    assert boundary_state.strangers(run) == ["ip filter FORWARD", "ip nat POSTROUTING"]


def test_a_difference_names_what_is_lacking_and_what_is_strange():
    assert boundary_state.difference("a\n\tdrop\n", "a\n\taccept\n") == "lacks drop; has accept"
    assert boundary_state.difference("a\nb\n", "b\na\n") == "another order of lines"
    assert boundary_state.difference("a\n", "a\n") == ""


def test_files_that_are_not_there_are_told_from_others(tmp_path):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/a").write_text("x")
    found = boundary_state.files(tmp_path, ["/etc/a", "/etc/b", "/etc/a/c"])
    assert [bool(each) for each in found.values()] == [True, False, False]


def test_a_setting_of_a_port_with_a_dot_in_its_name_is_read(tmp_path):
    place = tmp_path / "proc/sys/net/ipv4/conf/data.300"
    place.mkdir(parents=True)
    (place / "send_redirects").write_text("0\n")
    name = "net/ipv4/conf/data.300/send_redirects"
    assert boundary_state.settings(tmp_path, [name, "net.ipv4.nothing"]) == {name: "0", "net.ipv4.nothing": None}


def test_a_solicitation_goes_to_the_address_own_group_from_no_address_with_a_sum_that_holds():
    frame = wire_probe.solicitation("0c:42:a1:00:00:10", "2001:db8:101::1")
    assert frame[:6].hex(":") == "33:33:ff:00:00:01"
    fixed, message = frame[14:54], frame[54:]
    assert str(IPv6Address(fixed[8:24])) == "::"
    assert str(IPv6Address(fixed[24:40])) == "ff02::1:ff00:1"
    assert fixed[7] == 255
    pseudo = fixed[8:40] + struct.pack("!II", len(message), 58)
    assert wire_probe.checksum(pseudo + message) == 0


def test_of_all_that_is_heard_advertisements_and_arp_replies_speak_for_an_address():
    solicitation = wire_probe.solicitation("0c:42:a1:00:00:10", "2001:db8:101::1")
    advertisement = solicitation[:54] + bytes([136]) + solicitation[55:]
    assert wire_probe.claimed(advertisement) == "2001:db8:101::1"
    assert wire_probe.claimed(solicitation) is None
    assert wire_probe.claimed(b"\0" * 20) is None


def test_what_sshd_says_is_read_for_each_account_and_an_sshd_that_is_not_there_is_a_reason():
    command = "env /usr/sbin/sshd -T -C user={},host=bastion,addr=192.0.2.1"
    run = program(
        {
            command.format("ada"): (0, "permitrootlogin no\npermitopen 10.183.0.4:443 10.183.0.5:443\n", ""),
            command.format("grace"): (127, "", "env: '/usr/sbin/sshd': No such file or directory\n"),
        }
    )
    found = boundary_state.sshd(run, ["ada", "grace"])
    assert found["ada"]["settings"]["permitopen"] == "10.183.0.4:443 10.183.0.5:443"
    assert found["grace"] == {"reason": "env: '/usr/sbin/sshd': No such file or directory"}

"""What of the service needs no host: names that are the same installed, and the kernel's messages about links."""

import ast
import socket
import struct
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "roles" / "roce_qos" / "files"))
import roce_qos_service as service

MODULES = sorted((ROOT / "plugins" / "module_utils").glob("roce_*.py"))


def imported(body: list[ast.stmt]) -> set[tuple[str, str]]:
    froms = [each for each in body if isinstance(each, ast.ImportFrom)]
    return {((each.module or "").rpartition(".")[2], name.name) for each in froms for name in each.names}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_imports_the_same_under_ansible_and_beside_the_service(path) -> None:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Try):
            direct = {
                (name.name, "") for each in node.handlers[0].body if isinstance(each, ast.Import) for name in each.names
            }
            inside = {
                (name, "") if module == "module_utils" else (module, name) for module, name in imported(node.body)
            }
            assert inside == imported(node.handlers[0].body) | direct


def link_message(name: str, kind: int = service.RTM_NEWLINK, flags: int = service.IFF_LOWER_UP) -> bytes:
    """As rtnetlink(7) has it, with an attribute before the name."""
    address = struct.pack("=HH6sxx", 10, 1, b"\x0c\x42\xa1\0\0\x10")
    label = name.encode() + b"\0"
    attribute = struct.pack("=HH", 4 + len(label), service.IFLA_IFNAME) + label
    body = struct.pack("=BxHiII", 0, 1, 7, flags, 0) + address + attribute.ljust((len(attribute) + 3) & ~3, b"\0")
    return struct.pack("=IHHII", 16 + len(body), kind, 0, 0, 0) + body


def heard(up: set[str], *messages: bytes) -> bool:
    ours, kernel = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, kernel:
        kernel.send(b"".join(messages))
        return service.came_up(ours, frozenset({"rail0", "rail1"}), up)


def test_a_rail_that_comes_up_counts_once_and_again_after_it_went_down() -> None:
    up: set[str] = set()
    assert heard(up, link_message("rail0"))
    assert not heard(up, link_message("rail0")), "a change of statistics or MTU is not a link that came up"
    assert not heard(up, link_message("rail0", flags=0))
    assert heard(up, link_message("rail0"))


def test_a_driver_reload_counts_and_other_interfaces_do_not() -> None:
    up = {"rail0", "rail1"}
    assert not heard(up, link_message("rail1", kind=service.RTM_DELLINK), link_message("ens3"))
    assert heard(up, link_message("ens4"), link_message("rail1"))


def test_a_new_rdma_device_counts() -> None:
    ours, kernel = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, kernel:
        kernel.send(b"add@/devices/x/infiniband/mlx5_0\0ACTION=add\0SUBSYSTEM=infiniband\0SEQNUM=1\0")
        assert service.rdma_appeared(ours)
        kernel.send(b"add@/devices/x/net/eth0\0ACTION=add\0SUBSYSTEM=net\0SEQNUM=2\0")
        assert not service.rdma_appeared(ours)

"""DHCP for first boots: both servers take the file, answer known devices alone, and send each to its own first file.

Needs Kea's DHCPv4 server and dnsmasq (scripts/machine_packages.sh).
"""

import json
import subprocess
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.day0.dhcp import Booting, bmcs, dnsmasq, kea, unknown
from nornir_tasks.day0.first_boot import Identity
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.intent.keys.day0 import PxeHostIntent, PxeIntent
from nornir_tasks.platforms import platform
from tests.unit.day0.boots import program

URL = "http://198.51.100.10:8080"


def booting(number: int, system: str, serial: str | None, mac: str | None) -> Booting:
    address = ManagementAddress(f"192.0.2.{10 + number}", 24, "192.0.2.1")
    dhcp = platform(system).first_boot.dhcp
    return Booting(f"leaf-{number}", system, Identity(serial, mac), address, dhcp, URL, f"TOKEN{number}/boot")


def mac(number: int) -> str:
    return f"02:00:00:00:00:{number:02x}"


SWITCHES = [
    booting(1, "eos", "ABC1", mac(1)),
    booting(2, "nvue", "ABC2", mac(2)),
    booting(3, "nxos", "ABC3", mac(3)),
    booting(4, "nxos", None, mac(4)),
    replace(booting(5, "eos", None, mac(5)), management=ManagementAddress("192.0.3.15", 25, "192.0.3.1")),
    booting(6, "eos", "ABC6", None),
]
HOSTS = {"gpu-1": PxeHostIntent(mac=mac(65), address=IPv4Address("198.51.100.101"))}
PXE_HOSTS = PxeIntent(
    server=IPv4Address("198.51.100.12"),
    file="ipxe.efi",
    subnet=IPv4Network("198.51.100.0/24"),
    gateway=IPv4Address("198.51.100.1"),
    hosts=HOSTS,
)
with_and_without_hosts = pytest.mark.parametrize("pxe", [None, PXE_HOSTS], ids=["switches", "hosts-too"])


def reservations(text: str) -> dict[str, dict[str, Any]]:
    return {
        each["hostname"]: each for subnet in json.loads(text)["Dhcp4"]["subnet4"] for each in subnet["reservations"]
    }


@with_and_without_hosts
def test_kea_takes_its_configuration(pxe: PxeIntent | None, tmp_path: Path) -> None:
    file = tmp_path / "kea.json"
    file.write_text(kea(SWITCHES, pxe))
    found = subprocess.run([program("kea-dhcp4"), "-t", file], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr + found.stdout


@with_and_without_hosts
def test_dnsmasq_takes_its_configuration(pxe: PxeIntent | None, tmp_path: Path) -> None:
    file = tmp_path / "dnsmasq.conf"
    file.write_text(dnsmasq(SWITCHES, pxe))
    found = subprocess.run(
        [program("dnsmasq"), "--test", f"--conf-file={file}"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr


def test_kea_knows_each_switch_by_what_its_system_sends_and_gives_it_its_own_first_file() -> None:
    found = reservations(kea(SWITCHES, None))
    assert (found["leaf-1"]["hw-address"], found["leaf-1"]["ip-address"]) == (mac(1), "192.0.2.11")
    assert found["leaf-3"]["client-id"] == "00" + b"ABC3".hex()
    assert found["leaf-4"]["hw-address"] == mac(4)
    given = {name: {each.get("code"): each["data"] for each in one["option-data"]} for name, one in found.items()}
    assert given["leaf-1"] == {None: "192.0.2.1", 67: f"{URL}/TOKEN1/boot"}
    assert given["leaf-2"] == {None: "192.0.2.1", 239: f"{URL}/TOKEN2/boot"}
    assert given["leaf-3"] == {None: "192.0.2.1", 66: URL, 67: "/TOKEN3/boot"}
    assert given["leaf-5"][None] == "192.0.3.1"


def test_nobody_but_known_devices_gets_an_address() -> None:
    subnets = json.loads(kea(SWITCHES, PXE_HOSTS))["Dhcp4"]["subnet4"]
    assert [each["subnet"] for each in subnets] == ["192.0.2.0/24", "192.0.3.0/25", "198.51.100.0/24"]
    assert not any("pools" in each for each in subnets)
    lines = dnsmasq(SWITCHES, PXE_HOSTS).splitlines()
    assert "dhcp-ignore=tag:!known" in lines
    assert all(",static," in line for line in lines if line.startswith("dhcp-range"))


def test_a_switch_that_no_dhcp_server_can_know_is_named_and_left_out() -> None:
    assert unknown(SWITCHES) == ("leaf-6",)
    assert "leaf-6" not in reservations(kea(SWITCHES, None))
    assert "leaf-6" not in dnsmasq(SWITCHES, None)


def test_dnsmasq_says_the_same_as_kea() -> None:
    lines = dnsmasq(SWITCHES, PXE_HOSTS).splitlines()
    assert f"dhcp-host={mac(1)},set:leaf-1,192.0.2.11,leaf-1,7200" in lines
    assert "dhcp-host=id:00:41:42:43:33,set:leaf-3,192.0.2.13,leaf-3,7200" in lines
    assert f'dhcp-option-force=tag:leaf-2,239,"{URL}/TOKEN2/boot"' in lines
    assert f'dhcp-option-force=tag:leaf-3,66,"{URL}"' in lines
    assert f"dhcp-host={mac(65)},set:gpu-1,198.51.100.101,gpu-1,7200" in lines
    assert "dhcp-boot=tag:pxe,ipxe.efi,,198.51.100.12" in lines


def test_bmcs_are_listed_by_their_redfish_address_without_a_password() -> None:
    found = json.loads(bmcs({"gpu-1": "192.0.2.101", "gpu-2": "2001:db8::2"}, {"gpu-1": "0c:42:a1:00:01:01"}))
    assert found == {
        "gpu-1": {"redfish": "https://192.0.2.101/redfish/v1/", "mac": "0c:42:a1:00:01:01"},
        "gpu-2": {"redfish": "https://[2001:db8::2]/redfish/v1/"},
    }

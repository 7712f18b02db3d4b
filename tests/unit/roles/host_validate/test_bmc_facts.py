"""A BMC as a host's files and ipmitool tell it: recorded answers, and a program that gives them."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[3] / "recorded"))
from transcripts import read_transcript

HOST = {"sys/class/dmi/id/sys_vendor": "Supermicro\n", "dev/ipmi0": "", "sys/firmware/dmi/entries/38-0/type": "38\n"}


def answers(name):
    return {
        call.command.partition(" ")[2]: (call.stdout, call.stderr, call.exit_code)
        for call in read_transcript(f"ipmitool/{name}.txt")
    }


@pytest.fixture
def bmc(facts, tree, tmp_path, monkeypatch):
    """(answers of ipmitool by its arguments, changed files) -> the fact; no answers: there is no ipmitool."""

    def read(known, **changed):
        programs = tmp_path / "programs"
        programs.mkdir()
        if known is not None:
            program = programs / "ipmitool"
            program.write_text(
                f"#!{sys.executable}\nimport sys\nknown = {known!r}\n"
                "out, err, code = known.get(' '.join(sys.argv[1:]), ('', 'no', 1))\n"
                "sys.stdout.write(out)\nsys.stderr.write(err)\nsys.exit(code)\n"
            )
            program.chmod(0o755)
        monkeypatch.setenv("PATH", str(programs))
        files = {**HOST, **changed}
        return facts("bmc_facts", root=str(tree({k: v for k, v in files.items() if v is not None})))["gpufabric_bmc"]

    return read


def test_a_supermicro_that_fails_over_to_a_port_of_its_host_shares_one(bmc):
    found = bmc(answers("supermicro"))
    assert (found["address"], found["mac"], found["vlan"]) == ("192.0.2.62", "02:00:00:2f:7a:79", None)
    assert (found["port"], found["port_shown_by"]) == ("shared", "ipmitool raw 0x30 0x70 0x0c 0")
    assert (found["device"], found["in_smbios"], found["has_tool"]) == ("/dev/ipmi0", True, True)


@pytest.mark.parametrize(("mode", "port"), [(" 00", "dedicated"), (" 01", "shared"), (" 02", "shared"), (" 7f", None)])
def test_each_mode_of_a_supermicro(bmc, mode, port):
    found = bmc({**answers("supermicro"), "raw 0x30 0x70 0x0c 0": (f"{mode}\n", "", 0)})
    assert found["port"] == port
    assert bool(found["port_reason"]) == (port is None)


@pytest.mark.parametrize(
    ("words", "port"),
    [("dedicated", "dedicated"), ("shared with lom1", "shared"), ("shared with Failover all loms", "shared")],
)
def test_each_mode_of_a_dell(bmc, words, port):
    files = {"sys/class/dmi/id/sys_vendor": "Dell Inc.\n"}
    found = bmc({**answers("dell"), "delloem lan get": (f"{words}\n", "", 0)}, **files)
    assert (found["port"], found["address"]) == (port, "192.0.2.132")


def test_of_another_vendor_the_port_could_not_be_told_and_the_address_could(bmc):
    found = bmc(answers("no_address"), **{"sys/class/dmi/id/sys_vendor": "HPE\n"})
    assert (found["port"], found["address"]) == (None, "0.0.0.0")
    assert "on a host of HPE" in found["port_reason"]


def test_a_command_that_fails_leaves_a_reason_and_no_value(bmc):
    found = bmc({"lan print": ("", "Could not open device at /dev/ipmi0\n", 1)})
    assert (found["address"], found["port"]) == (None, None)
    assert found["lan_reason"] == "ipmitool lan print: Could not open device at /dev/ipmi0"
    assert found["port_reason"].startswith("ipmitool raw")


def test_without_the_tool_nothing_is_asked(bmc):
    found = bmc(None)
    assert (found["has_tool"], found["address"], found["port"]) == (False, None, None)


def test_a_host_that_shows_no_bmc(bmc):
    found = bmc(answers("dell"), **dict.fromkeys(HOST), **{"sys/class/net/lo/mtu": "65536"})
    assert (found["device"], found["in_smbios"], found["vendor"], found["port"]) == (None, False, "", None)


def test_modules_and_the_network_interface_to_the_bmc_are_told(bmc, tree):
    root = tree({"sys/bus/usb/drivers/cdc_ether/bind": "", "sys/class/net/usb0/device/uevent": ""})
    (root / "sys/class/net/usb0/device/driver").symlink_to(root / "sys/bus/usb/drivers/cdc_ether")
    found = bmc(answers("supermicro"), **{"sys/module/ipmi_si/version": "1\n", "sys/class/net/eth0/mtu": "1500\n"})
    assert found["modules"] == ["ipmi_si"]
    assert found["host_interfaces"] == [{"name": "usb0", "driver": "cdc_ether"}]

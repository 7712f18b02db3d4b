"""What base manages, all of it but what has secrets, is in what a switch begins with, and its own grammar takes it."""

import dataclasses
from typing import Literal

import pytest
from ruamel.yaml import YAML

from nornir_tasks.design.config.base import Base
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.files.templates import environment
from nornir_tasks.render.render import render
from nornir_tasks.usecases.day0 import Day0, at_first_boot, prepare
from nornir_tasks.usecases.site import load, select
from switch_twins.engine import load_text
from switch_twins.eos.configuration import Configuration
from switch_twins.nvue.schema import schema_for
from switch_twins.nxos.day0 import bare_tree, device_context
from switch_twins.spec import DeviceSpec
from tests.unit.design import managed
from tests.unit.usecases.day0_site import SWITCHES, free_ports, write_authority
from tests.unit.usecases.oob_site import write_oob_intent

FULL = """
base:
  hostname: managed
  banner: All sessions are recorded.
  management: managed
  dns: {servers: [10.183.0.5], domain: example.net}
  ntp: [10.183.0.69]
  syslog: [10.183.0.6]
  api: {certificate: fabric-2026}
  ssh: {idle_minutes: 10}
  control_plane: {allowed: [10.183.0.0/16]}
  aaa: {tacacs: {servers: [10.183.0.70], key: {eos: !secret key-7, nxos: !secret key-7, nvue: !secret key}}}
  accounts: {gpufabric: {role: admin, hash: {eos: !secret push-512, nxos: !secret push-256, nvue: !secret push-512}}}
"""


@pytest.fixture(scope="module")
def day0(tmp_path_factory: pytest.TempPathFactory) -> Day0:
    site = tmp_path_factory.mktemp("full") / "dc1"
    site.mkdir()
    http, https = free_ports()
    served = f"day0: {{server: 127.0.0.1, http_port: {http}, https_port: {https}}}\n"
    write_oob_intent(site / "fabric.yml", more=FULL + served)
    write_authority(site)
    names = [device.name for device in load(site).network.devices]
    rows = [f"  {name}: {{address: 192.0.2.{n}, serial: SER{n}}}\n" for n, name in enumerate(names, start=11)]
    text = "username: gpufabric\npassword: !secret switch\nca: ca.pem\ndevices:\n"
    (site / "devices.yml").write_text(text + "".join(rows))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GPUFABRIC_STATE", str(site.parent / "state"))
        return prepare(select(load(site)))


def config_of(day0: Day0, name: str) -> str:
    switch = next(each for each in day0.switches if each.name == name)
    return day0.boot(switch, day0.filled(switch)).config


def spec(name: str, **facts: str) -> DeviceSpec:
    return DeviceSpec(name=name, serial="S", address="127.0.0.1", api_port=443, ssh_port=22, asn=1, ports=(), **facts)


def test_eos_takes_it_whole(day0: Day0) -> None:
    name = SWITCHES["eos"]
    device = spec(name, os="eos", release="4.33.1F", model="7060DX5-64S", asic="tomahawk4")
    made = Configuration(device, ("nobody", "none"), None)  # type: ignore[arg-type] - nothing is committed
    tree = made.factory.copy()
    assert load_text(tree, made.context, config_of(day0, name)) == []
    text = tree.text()
    assert text.count("ip route vrf MGMT 0.0.0.0/0") == 1
    assert "protocol https ssl profile GPUFABRIC" in text
    assert "DAY0" not in text
    assert "certificate fabric-2026.crt key fabric-2026.key" in text


def test_nxos_takes_it_whole(day0: Day0) -> None:
    name = SWITCHES["nxos"]
    device = spec(name, os="nxos", release="10.4(3)", model="N9K-C9332D-GX2B", asic="cloudscale-gx2")
    tree = bare_tree(device_context(device), "switch")
    assert load_text(tree, device_context(device), config_of(day0, name)) == []
    text = tree.text()
    assert text.count("0.0.0.0/0") == 1
    assert text.count("nxapi certificate httpskey keyfile") == 1


@pytest.mark.parametrize(("name", "release"), [("spine-1", "5.16.0"), ("spine-2", "5.14.0")])
def test_cumulus_linux_takes_it_whole(day0: Day0, name: str, release: str) -> None:
    tree = YAML(typ="safe").load(config_of(day0, name))[0]["set"]
    assert schema_for(release).mistakes(tree) == ()
    assert tree["system"]["api"]["certificate"] == "fabric-2026"
    (gateway,) = tree["interface"]["eth0"]["ip" if release == "5.14.0" else "ipv4"]["gateway"]
    assert gateway == next(each for each in day0.switches if each.name == name).management.gateway


def test_no_account_but_the_one_time_one_is_in_it_and_no_secret_is_left_a_name(day0: Day0) -> None:
    for switch in day0.switches:
        config = config_of(day0, switch.name)
        assert "gpufabric-day0" in config
        assert "username gpufabric " not in config
        assert '"gpufabric"' not in config
        assert "<secret" not in config
        assert "10.183.0.70" not in config  # who is asked for accounts comes with the first push, as its key does


@pytest.mark.parametrize("kind", ["tacacs", "radius"])
@pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
def test_no_section_that_has_secrets_is_in_what_a_switch_begins_with(
    device: str, kind: Literal["tacacs", "radius"]
) -> None:
    made = managed.realised(device, kind=kind)
    base = made.config.base
    assert "<secret:" in str(base)
    left = at_first_boot(base)
    assert "<secret:" not in str(left)
    assert {name for name in fields_of(base) if getattr(left, name) != getattr(base, name)} <= WITH_SECRETS
    bare = DeviceConfig(device, made.config.os, made.config.release, made.config.model, made.config.asic, base=left)
    assert "<secret:" not in render(bare, made.capabilities, environment(made.config.os))


WITH_SECRETS = {"accounts", "tacacs", "radius", "snmp"}


def fields_of(base: Base) -> list[str]:
    return [each.name for each in dataclasses.fields(base)]

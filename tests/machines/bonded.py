"""Two of a machine's NICs as one bond to a pair of leaves, which ``lacp_pair.py`` plays at the leaves' ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from lab_machines import ROOT, MachineLab

from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.lab.machines import qmp
from nornir_tasks.lab.machines.manager import HOSTS
from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.site import load

PAIR = Path(__file__).parent / "lacp_pair.py"
PLAY = "tests/machines/bonds.yml"
LEGS = ("rail6", "rail7")
"""The lab's cables that the bond takes."""
PLACES = ("0000:00:16.0", "0000:00:17.0")
"""Where the machine has these NICs."""
BARE_NAMES = ("ens22", "ens23")
"""What the kernel calls them before any role has run."""


def bond(host: str = "gpu-1") -> dict[str, Any]:
    """What the intent of ``tests/sites/front`` says of this host's bond: storage untagged, business in a VLAN."""
    design = load(ROOT / "tests" / "sites" / "front")
    found = host_inventory(design.site.intent, design.network, load_catalogue()).variables[host]
    made: dict[str, Any]
    (made,) = found["bond_interfaces_bonds"]
    members = [{**each, "match": {"pci": place}} for each, place in zip(made["members"], PLACES, strict=True)]
    return {**made, "members": members}


def inventory(lab: MachineLab, host: str) -> Path:
    """An inventory in which the machine has this bond, and no rail."""
    known = yaml.safe_load((lab.machines.directory / HOSTS).read_text(encoding="utf-8"))[host]
    access = {name: value for name, value in known.items() if name.startswith(("ansible_", "mitogen_"))}
    path = lab.site.parent / "bonded.yml"
    path.write_text(yaml.safe_dump({"all": {"hosts": {host: {**access, "bond_interfaces_bonds": [bond(host)]}}}}))
    return path


@contextmanager
def leaf_pair(lab: MachineLab, planes: list[dict[str, Any]]) -> Iterator[None]:
    """The gateways of these planes behind two leaves that are one LACP system, while the block runs."""
    insides = [f"{plane.get('vlan', '')}:{plane['plane']}" for plane in planes]
    argv = lab.in_namespace(sys.executable, str(PAIR), *(f"h1-{leg}" for leg in LEGS), "--", *insides)
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            for plane in planes:
                _gateway(lab, plane)
            yield
        finally:
            process.terminate()


def _gateway(lab: MachineLab, plane: dict[str, Any]) -> None:
    """Its interface goes when the pair ends."""
    name, ip = plane["plane"], ("ip", "-n", lab.machines.namespace.name)
    commands = [
        ("link", "set", name, "mtu", str(plane["mtu_bytes"]), "up"),
        ("address", "add", f"{plane['gateway']}/{plane['prefix_length']}", "dev", name),
    ]
    if "gateway_v6" in plane:
        address, has_v6 = f"{plane['gateway_v6']}/{plane['prefix_length_v6']}", f"net.ipv6.conf.{name}.disable_ipv6=0"
        subprocess.run(lab.in_namespace("sysctl", "-qw", has_v6), check=True, timeout=30)  # the lab's ends have none
        commands.append(("address", "add", address, "dev", name, "nodad"))
    for words in commands:
        subprocess.run([*ip, *words], check=True, timeout=30)


@contextmanager
def first_leg_cut(lab: MachineLab, host: str) -> Iterator[None]:
    """The leg by which the pair sends has no carrier at the host while the block runs."""
    directory = lab.machines.machine(host).directory
    qmp.command(directory, "set_link", name=LEGS[0], up=False)
    try:
        yield
    finally:
        qmp.command(directory, "set_link", name=LEGS[0], up=True)

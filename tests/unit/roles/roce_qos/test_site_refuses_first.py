"""The whole of site.yml on a bare host of each state: what any role refuses is refused before the first role's turn.

A dry run in a network namespace that has the host's ports under the names they come with; no role changes this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
import yaml
from conftest import ROOT, StateHost

PORTS = {"ens3": "02:00:00:00:00:03", "ens16": "0c:42:a1:00:00:10", "ens17": "0c:42:a1:00:00:11"}
PCI = ROOT / "tests/standins/standin_pci.py"
IN_NAMESPACE = """
mount -t sysfs none /sys
for port in "$@"; do ip link add "${port%%=*}" address "${port#*=}" type veth peer name "p-${port%%=*}"; done
exec ansible-playbook --check site.yml -i "$GPUFABRIC_STANDIN/hosts.yml"
"""
FIRST_TURN = "rail_interfaces : Validating arguments against arg spec 'main'"
"""The beginning of the first role's own turn."""


def site(here: StateHost, **variables: object) -> subprocess.CompletedProcess[str]:
    """The playbook's output; its variables are those of the Molecule scenario ``site``."""
    root = here.folder / "root"
    (root / "proc/sys/kernel").mkdir(parents=True)
    (root / "proc/sys/kernel/osrelease").write_text("6.1.0-30-amd64\n")
    (root / "lib/modules/6.1.0-30-amd64").mkdir(parents=True)
    (root / "lib/modules/6.1.0-30-amd64/modules.dep").touch()
    modules = ("mlx5_core", "mlx5_ib", "ib_uverbs", "ib_umad", "rdma_cm", "rdma_ucm")
    (root / "proc/modules").write_text("".join(f"{name} 1 0 - Live 0x0\n" for name in modules))
    values = yaml.safe_load((ROOT / "molecule/site/inventory/group_vars/all.yml").read_text())
    connection = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    roots = dict.fromkeys(("roce_qos_root", "rdma_stack_root", "nccl_root", "nic_firmware_root"), str(root))
    gpus = here.folder / "gpus"
    rails = [f"--rail=rail{number}={mac}" for number, mac in enumerate(list(PORTS.values())[1:])]
    subprocess.run([sys.executable, PCI, "make", gpus, "--switches", "2", *rails], check=True, timeout=60)
    roots["gpudirect_root"] = str(gpus)
    own = {**values, **connection, **roots, "rail_interfaces_manager": "networkd", **variables}
    (here.folder / "hosts.yml").write_text(json.dumps({"compute": {"hosts": {"localhost": own}}}))
    words = [f"{name}={mac}" for name, mac in PORTS.items()]
    return subprocess.run(
        ["unshare", "--net", "--mount", "bash", "-ec", IN_NAMESPACE, "site", *words],
        cwd=ROOT,
        env=os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.long
@pytest.mark.parametrize("installed", [True, False], ids=["with its tools", "bare"])
def test_a_locked_down_host_is_refused_before_any_role_has_its_turn(
    state_host: Callable[..., StateHost], installed: bool
) -> None:
    here = state_host("locked_down", other="ens3")
    if not installed:
        (here.folder / "bin/mstconfig").unlink()
    before = here.memory()
    done = site(here)
    assert done.returncode != 0
    assert "rail0 cnp_dscp: wanted 48, found could not tell" in done.stdout, done.stdout + done.stderr
    assert "mlx5_fwctl" in done.stdout
    assert FIRST_TURN not in done.stdout
    assert "changed=0" in done.stdout
    assert here.memory() == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("installed", [True, False], ids=["with its tools", "bare"])
def test_a_host_that_can_be_brought_up_comes_to_the_first_roles_turn(
    state_host: Callable[..., StateHost], installed: bool
) -> None:
    here = state_host("inbox_mlx5", other="ens3")
    if not installed:
        (here.folder / "bin/mstconfig").unlink()
    done = site(here)
    assert FIRST_TURN in done.stdout, done.stdout + done.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"roce_qos_traffic_class": 104}, "roce_qos_traffic_class: 104 is Not-ECT"),
        ({"roce_qos_dscp": "many"}, "roce_qos_dscp"),
        ({"nccl_socket_interfaces": ["ens9"]}, "nccl_socket_interfaces: ens9 is no interface of this host"),
    ],
)
def test_a_variable_that_a_late_role_refuses_is_refused_first(
    state_host: Callable[..., StateHost], variables: dict[str, object], message: str
) -> None:
    done = site(state_host("doca_ofed", other="ens3"), **variables)
    assert done.returncode != 0
    assert message in done.stdout, done.stdout + done.stderr
    assert FIRST_TURN not in done.stdout

"""InfiniBand ports as ibsim's real tree shows them, before and after a subnet manager, and the refusal of such rails.

Recorded from ibsim 0.10 (its example net.1, node Hca2, by libumad2sim) and opensm 3.3.23 of Debian 12. A real HCA shows
a link layer and counters beside: Linux, drivers/infiniband/core/sysfs.c.
"""

from pathlib import Path

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.host_evidence import HostEvidence
from nornir_tasks.checks.hosts.infiniband import check_infiniband

BEFORE = {"state": "2: INIT", "phys_state": "5: LinkUp", "rate": "10 Gb/sec (4X)", "lid": "0x0", "sm_lid": "0x0"}
AFTER = {**BEFORE, "state": "4: ACTIVE", "lid": "0x3", "sm_lid": "0x1"}
KEYS = {"pkeys/0": "0xffff", "pkeys/1": "0x0000", "pkeys/10": "0x0000", "pkeys/2": "0x0000"}
SHOWN_BY_HCAS = {"link_layer": "InfiniBand", "counters/symbol_error": "0", "counters/VL15_dropped": "N/A (no PMA)"}
WANTED = {"device": "ibsim0", "port": 1, "rate_gbps": 10}


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / "sys/class/infiniband/ibsim0/ports/1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n", encoding="utf-8")
    return root


def verdicts(found) -> dict[str, Verdict]:
    evidence = HostEvidence("gpu-1", {"host_validate_infiniband": [WANTED]}, {"gpufabric_infiniband": found}, {})
    return {each.knob: each.verdict for each in check_infiniband(evidence)}


def test_a_port_that_no_subnet_manager_has_seen_fails_in_state_and_manager_alone(facts, tmp_path) -> None:
    root = tree(tmp_path / "before", {**BEFORE, **KEYS, **SHOWN_BY_HCAS})
    found = verdicts(facts("infiniband_facts", root=str(root))["gpufabric_infiniband"])
    assert {name for name, each in found.items() if each is Verdict.FAIL} == {"state", "subnet manager"}
    assert Verdict.ERROR not in found.values()


def test_once_it_has_been_seen_it_passes(facts, tmp_path) -> None:
    root = tree(tmp_path / "after", {**AFTER, **KEYS, **SHOWN_BY_HCAS})
    found = facts("infiniband_facts", root=str(root))["gpufabric_infiniband"]
    assert set(verdicts(found).values()) == {Verdict.PASS}
    assert (found["ibsim0/1"]["partitions"], found["ibsim0/1"]["errors"]) == (["0xffff"], {"symbol_error": 0})


def test_what_the_kernel_does_not_show_could_not_be_told(facts, tmp_path) -> None:
    found = facts("infiniband_facts", root=str(tree(tmp_path / "ibsim", {**AFTER, **KEYS})))["gpufabric_infiniband"]
    untold = {name for name, each in verdicts(found).items() if each is Verdict.ERROR}
    assert untold == {"link layer", "errors"}


def test_a_rate_is_read_in_every_form_that_the_kernel_writes(facts, tmp_path) -> None:
    forms = {"2.5 Gb/sec (1X SDR)": (2.5, 1), "400 Gb/sec (4X NDR)": (400.0, 4), "800 Gb/sec (4X XDR)": (800.0, 4)}
    for number, (text, wanted) in enumerate(forms.items()):
        root = tree(tmp_path / str(number), {**AFTER, "rate": text})
        port = facts("infiniband_facts", root=str(root))["gpufabric_infiniband"]["ibsim0/1"]
        assert (port["rate_gbps"], port["width"]) == wanted


def netdev(root: Path, name: str, driver: str, kind: str = "1") -> None:
    port, its = root / "sys/class/net" / name, root / "sys/bus/pci/drivers" / driver
    its.mkdir(parents=True, exist_ok=True)
    (port / "device").mkdir(parents=True)
    (port / "device/driver").symlink_to(its)
    (port / "type").write_text(f"{kind}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("roce_facts", {"rails": ["rail0", "rail1"]}),
        ("nic_firmware_facts", {"rails": ["rail0", "rail1"]}),
        ("nccl_facts", {"rails": ["rail0", "rail1"]}),
        ("kernel_facts", {"rails": ["rail0", "rail1"], "sysctl": []}),
        ("rdma_facts", {"rails": ["rail0", "rail1"]}),
        ("pci_facts", {"rails": [{"name": name, "match": {"pci": "0000:00:01.0"}} for name in ("rail0", "rail1")]}),
    ],
)
@pytest.mark.parametrize(
    ("driver", "kind", "words"),
    [
        ("bnxt_en", "1", "no role sets up rail1 of Broadcom (bnxt_en), and nothing was changed"),
        ("ionic", "1", "no role sets up rail1 of AMD Pensando (ionic), and nothing was changed"),
        ("mlx5_core", "32", "no role sets up rail1 of InfiniBand"),
    ],
)
def test_rails_that_no_role_sets_up_are_refused_in_one_sentence(
    refused, tmp_path, module, arguments, driver, kind, words
):
    root = tmp_path / "host"
    netdev(root, "rail0", "mlx5_core")
    netdev(root, "rail1", driver, kind)
    assert refused(module, root=str(root), **arguments).startswith(words)

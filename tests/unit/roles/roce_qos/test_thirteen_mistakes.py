"""The thirteen mistakes (a to m) people make with RoCE, each on a host that was right: NVIDIA's stack, and inbox mlx5.

host_validate names exactly the knobs of the mistake, and without the guard of those knobs it would name nothing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import RAILS, StateHost, policy_values
from needs import require
from roce_apply import judge
from roce_state import read_rails
from standin_server import standin_host

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding
from nornir_tasks.checks.hosts.roce import check_roce, expectations_by_rail, judge_rails
from nornir_tasks.checks.hosts.stack import check_nccl
from nornir_tasks.design.demand.rdma_libraries import environment

STATES = ("inbox_mlx5", "doca_ofed")
CM = "/sys/kernel/config/rdma_cm"
DEBUG = "/sys/kernel/debug/mlx5/0000:00:10.0/cc_params"
VERBS = "/sys/class/infiniband/mlx5_0/tc/1/traffic_class"
ECN = "/sys/class/net/rail0/ecn"


def rdma_cm(number: int, tos: int) -> str:
    folder = f"{CM}/mlx5_{number}"
    return f"mkdir -p {folder}; echo {tos} > {folder}/ports/1/default_roce_tos; rmdir {folder}"


def in_memory(found: str, instead: str) -> str:
    """Another value in the memory of rail0's NIC."""
    return f"sed -i 's/{found}/{instead}/' STATE/nics/rail0.json"


def mask(number: int) -> str:
    """Both settings of the firmware: now, and at the next start."""
    return in_memory('"ROCE_CC_PRIO_MASK": "255"', f'"ROCE_CC_PRIO_MASK": "{number}"')


MISTAKES: dict[str, tuple[str, str, str]] = {
    # name: (lines on both, lines more with NVIDIA's stack, knobs of both | more with NVIDIA's stack)
    "a Not-ECT": (rdma_cm(0, 104), f"echo 104 > {VERBS}", "rail0 rdma_cm_tos|rail0 traffic_class"),
    "b DSCP for the byte": (rdma_cm(0, 26), f"echo 26 > {VERBS}", "rail0 rdma_cm_tos|rail0 traffic_class"),
    "c PFC, and nothing marked": (rdma_cm(0, 0), f"echo 0 > {VERBS}", "rail0 rdma_cm_tos|rail0 traffic_class"),
    "d PFC on two": ("dcb pfc set dev rail0 prio-pfc 4:on", "", "rail0 pfc|"),
    "e CNP's code point": (
        f"[ -d {ECN} ] || echo 4 > {DEBUG}/np_cnp_dscp",
        f"echo 4 > {ECN}/roce_np/cnp_dscp",
        "rail0 cnp_dscp|",
    ),
    "f trust pcp": ("dcb app flush dev rail0", "", "rail0 trust, rail0 dscp_to_priority|"),
    "h verbs, not RDMA-CM": (rdma_cm(0, 0), "", "rail0 rdma_cm_tos|"),
    "h RDMA-CM, not verbs": ("true", f"echo 0 > {VERBS}", "|rail0 traffic_class"),
    "i virtual functions": (
        "echo 2 > /sys/class/net/rail0/device/sriov_numvfs",
        "",
        "rail0 virtual_functions|",
    ),
    "j small payload": (
        """sed -i 's/"active_mtu": 4096/"active_mtu": 1024/' STATE/nics/rail0.json""",
        "",
        "rail0 active_mtu|",
    ),
    "k en dash": (rdma_cm(1, 0), "cma_roce_tos –d mlx5_1 -t 106", "rail1 rdma_cm_tos|"),
    "l DSCP 24": (
        f"dcb app replace dev rail0 dscp-prio 24:3 26:0; {rdma_cm(0, 98)}",
        "",
        "rail0 dscp_to_priority, rail0 rdma_cm_tos|",
    ),
}
HALF_ON = {
    "inbox_mlx5": (mask(247), {"rail0 ecn_np", "rail0 ecn_rp"}),
    "doca_ofed": (f"echo 0 > {ECN}/roce_np/enable/3", {"rail0 ecn_np"}),
}


class Brought:
    """A host that the role brought to the policy."""

    def __init__(self, here: StateHost, state: str) -> None:
        self.here, self.state = here, state
        report = here.run()
        assert not report.failures
        for name in ("nics", "values"):
            shutil.copytree(here.folder / name, here.folder / "right" / name)

    def with_mistake(self, lines: str) -> dict[str, Any]:
        """The host right again but for these lines; its facts."""
        for name in ("nics", "values"):
            shutil.rmtree(self.here.folder / name)
            shutil.copytree(self.here.folder / "right" / name, self.here.folder / name)
        script = lines.replace("/sys/", f"{self.here.folder}/root/sys/").replace("STATE", str(self.here.folder))
        subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=False)
        return read_rails(tuple(RAILS), root=self.here.folder / "root")


@pytest.fixture(scope="module", params=STATES)
def brought(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brought]:
    require("root")
    folder = tmp_path_factory.mktemp("host") / request.param
    standin_host("make", folder, *(f"{rail}={pci}" for rail, pci in RAILS.items()), "--state", request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUFABRIC_STANDIN", str(folder))
        patch.setenv("PATH", f"{folder / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin")
        here = StateHost(folder)
        here.serve()
        yield Brought(here, request.param)
    standin_host("down", folder)


def variables() -> dict[str, Any]:
    policy = {f"roce_qos_{name}": value for name, value in policy_values().items()}
    rails = [{"name": rail, "mtu_bytes": 9000} for rail in RAILS]
    nccl = {"nccl_traffic_class": 106, "nccl_socket_interfaces": ["ens3"], "nccl_cross_nic": 2, "nccl_pxn_disable": 0}
    return {
        **policy,
        **nccl,
        "nccl_rails": list(RAILS),
        "rail_interfaces_rails": rails,
        "rdma_stack_provider": "mlx5",
        "roce_qos_absent_allowed": ["traffic_class"],
        "roce_qos_virtual_functions_allowed": 0,
    }


def wrong(findings: list[HostFinding]) -> set[str]:
    bad = [each for each in findings if each.verdict not in (Verdict.PASS, Verdict.SKIPPED)]
    return {f"{each.subject} {each.knob}".strip() for each in bad}


def evidence(facts: dict[str, Any], **changed: Any) -> HostEvidence:
    return HostEvidence("gpu-1", {**variables(), **changed}, {"gpufabric_roce": facts}, {})


def named(facts: dict[str, Any], **changed: Any) -> set[str]:
    return wrong(check_roce(evidence(facts, **changed)))


def named_without_guard(facts: dict[str, Any], knobs: set[str]) -> set[str]:
    """What is left if nothing is expected of these knobs."""
    out = {each.split()[-1] for each in knobs}
    wanted = {
        rail: {knob: want for knob, want in each.items() if knob not in out}
        for rail, each in expectations_by_rail(variables()).items()
    }
    return wrong(judge_rails(evidence(facts), wanted))


def test_a_right_host_is_named_for_nothing(brought: Brought) -> None:
    assert named(brought.with_mistake("true")) == set()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_and_only_by_its_guard(brought: Brought, name: str) -> None:
    lines, more_lines, words = MISTAKES[name]
    both, _, more = words.partition("|")
    doca = brought.state == "doca_ofed"
    expected = {each.strip() for each in f"{both},{more if doca else ''}".split(",") if each.strip()}
    facts = brought.with_mistake(f"{lines}\n{more_lines if doca else ''}")
    assert named(facts) == expected
    assert named_without_guard(facts, expected) == set()


def test_m_dcqcn_half_on_is_named_and_only_by_its_guard(brought: Brought) -> None:
    lines, expected = HALF_ON[brought.state]
    facts = brought.with_mistake(lines)
    assert named(facts) == expected
    assert named_without_guard(facts, expected) == set()


def test_i_an_interface_that_was_left_out_is_named_in_every_knob_it_lacks(brought: Brought) -> None:
    came = brought.here.folder / "came"
    if not came.exists():
        standin_host("make", came, *(f"{rail}={pci}" for rail, pci in RAILS.items()), "--state", brought.state)
    found = named(brought.with_mistake(f"cp {came}/nics/rail1.json STATE/nics/; rm -f STATE/values/*mlx5_1*"))
    assert {each.split()[0] for each in found} == {"rail1"}
    assert {"rail1 trust", "rail1 dscp_to_priority", "rail1 pfc", "rail1 ets", "rail1 rdma_cm_tos"} <= found
    here = read_rails(tuple(RAILS), root=brought.here.folder / "root")
    assert named(here, roce_qos_rails=["rail0"]) == set(), "its guard is the list of interfaces that are judged"


def test_i_a_virtual_function_that_cannot_be_brought_to_the_policy_is_named(
    state_host: Callable[..., StateHost],
) -> None:
    here = state_host("doca_ofed", nic={"vf": True})
    report = here.run()
    assert [(each.rail, each.knob) for each in report.failures] == [("rail0", "ecn_np")]
    assert "did not take" in report.failures[0].why
    assert not here.run(judge, rails=("rail1",)).failures


NCCL = {
    "g a pinned GID": ("NCCL_IB_GID_INDEX=3", {"contradictions"}),
    "c PFC, and NCCL marks nothing": ("NCCL_IB_TC=0", {"NCCL_IB_TC", "contradictions"}),  # no default for verbs there
    "h RDMA-CM, not NCCL": ("", {"NCCL_IB_TC"}),  # likewise
}


def test_there_is_a_test_of_each_of_the_thirteen() -> None:
    by_themselves = {"i left out", "i cannot be brought", "m half on"}
    assert {each[0] for each in {*MISTAKES, *NCCL, *by_themselves}} == set("abcdefghijklm")


@pytest.mark.parametrize("name", NCCL)
def test_what_nccl_would_do_is_named_and_only_by_its_guard(
    brought: Brought, facts: Callable[..., dict[str, Any]], name: str
) -> None:
    line, expected = NCCL[name]
    right = ["NCCL_IB_TC=106", "NCCL_IB_ROCE_VERSION_NUM=2", "NCCL_SOCKET_IFNAME==ens3", "NCCL_CROSS_NIC=2"]
    right += ["NCCL_PXN_DISABLE=0", "NCCL_IB_HCA==mlx5_0,mlx5_1", "NCCL_IB_FIFO_TC=106"]
    kept = right if line.startswith("NCCL_IB_GID") else right[1:]
    root = brought.here.folder / "root"
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/nccl.conf").write_text("".join(f"{each}\n" for each in [*kept, line] if each))
    wanted, others = {"NCCL_IB_TC": "106"}, environment(106)
    (root / "etc/environment").write_text("".join(f"{name}={value}\n" for name, value in others.items()))
    where = {"root": str(root), "etc_root": str(root)}
    found = facts("nccl_facts", rails=list(RAILS), wanted=wanted, libraries=others, **where)
    assert wrong(check_nccl(HostEvidence("gpu-1", variables(), found, {}))) == expected
    found["gpufabric_nccl"]["contradictions"] = []
    assert wrong(check_nccl(HostEvidence("gpu-1", variables(), found, {}))) == expected - {"contradictions"}

"""Each RDMA library without its traffic class, or with another, is named: by a host, manifests and the class path."""

from __future__ import annotations

import copy
import re
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.design.demand.rdma_libraries import SETTINGS, environment, meant, unmarked
from nornir_tasks.files import programs
from nornir_tasks.files.resources import resource
from nornir_tasks.proofs import class_path
from nornir_tasks.proofs.cables import Read
from nornir_tasks.usecases.site import load
from tests.unit.checks.judged_host import judged as judged_host
from tests.unit.checks.right_host import facts
from tests.unit.proofs.lossless_mutants import Rendered
from tests.unit.usecases.test_hosts import CHECKOUT
from tests.unit.usecases.test_kubernetes_audit import P2P, exported
from tests.unit.usecases.test_kubernetes_audit import judged as judged_manifests

NEEDED = [each for each in SETTINGS if not each.follows and each.variable != "NCCL_IB_FIFO_TC"]
FOREIGN = [each for each in SETTINGS if each.variable != "NCCL_IB_FIFO_TC"]
IDS: Callable[[Any], str] = lambda each: each.variable  # noqa: E731


@pytest.fixture(scope="module")
def rendered() -> Rendered:
    return Rendered(load(resource("inventory") / "lab-rails"))


def proved(rendered: Rendered, host: str, changed: Mapping[str, Any]) -> list[str]:
    hosts = {**rendered.hosts, host: {**rendered.hosts[host], **changed}}
    outcome = class_path.judge(Read(rendered.design.network, rendered.switches, hosts))
    return [f"{each.where}: {each.what}" for each in outcome.broken]


@pytest.mark.parametrize("each", NEEDED, ids=IDS)
def test_a_library_without_its_traffic_class_is_named_by_host_validate(each: Any) -> None:
    found = facts()
    del found["gpufabric_nccl"]["settings"][each.variable]
    (failed,) = judged_host(found).of(Verdict.FAIL)
    assert each.variable in failed.name
    assert each.by_file or each.library in str(failed)


@pytest.mark.parametrize("each", FOREIGN, ids=IDS)
@pytest.mark.parametrize("value", ["0", "26", "104"])
def test_a_library_with_another_traffic_class_is_named_by_host_validate(each: Any, value: str) -> None:
    found = facts()
    line = {"name": each.variable, "value": value, "file": "/etc/environment", "line": 3, "managed": False}
    found["gpufabric_nccl"]["settings"][each.variable] = line
    failed = judged_host(found).of(Verdict.FAIL)
    assert any(each.variable in one.name for one in failed)


@pytest.mark.parametrize("each", NEEDED, ids=IDS)
def test_a_library_without_its_traffic_class_is_named_by_audit_k8s(each: Any) -> None:
    objects = copy.deepcopy(exported(P2P))
    (settings,) = [one for one in objects if one["kind"] == "ConfigMap"]
    del settings["data"][each.variable]
    assert [str(one) for one in judged_manifests(objects, P2P).failed if each.variable in str(one)]


@pytest.mark.parametrize("each", FOREIGN, ids=IDS)
@pytest.mark.parametrize("value", ["0", "26", "104", "x"])
def test_a_library_with_another_traffic_class_is_named_by_audit_k8s(each: Any, value: str) -> None:
    objects = copy.deepcopy(exported(P2P))
    (settings,) = [one for one in objects if one["kind"] == "ConfigMap"]
    settings["data"][each.variable] = value
    assert [str(one) for one in judged_manifests(objects, P2P).failed if each.variable in str(one)]


@pytest.mark.parametrize("each", NEEDED, ids=IDS)
@pytest.mark.parametrize("value", [None, 0, 26, 104])
def test_a_library_without_its_traffic_class_or_with_another_is_named_on_the_class_path(
    each: Any, value: int | None, rendered: Rendered
) -> None:
    changed: dict[str, Any]
    if each.by_file:
        changed = {"nccl_traffic_class": value}
    else:
        given = environment(106)
        changed = {"nccl_libraries": {**given, each.variable: value}}
    if value is None:
        changed.get("nccl_libraries", changed).pop(each.variable, None)
    (broken,) = proved(rendered, "gpu-1", changed)
    assert broken.startswith("gpu-1: ") and each.variable in broken


def test_a_host_whose_libraries_are_not_said_at_all_is_named_on_the_class_path(rendered: Rendered) -> None:
    (broken,) = proved(rendered, "gpu-1", {"nccl_libraries": {}})
    assert "nothing sets UCX_IB_TRAFFIC_CLASS" in broken


@pytest.mark.parametrize(
    ("variable", "text", "number"),
    [
        ("UCX_IB_TRAFFIC_CLASS", "106", 106),
        ("UCX_IB_TRAFFIC_CLASS", "0x6a", None),
        ("UCX_IB_TRAFFIC_CLASS", "auto", None),
        ("MORI_RDMA_TC", "0x6a", None),
        ("MC_IB_TC", "0x6a", None),
        ("NVSHMEM_IB_TRAFFIC_CLASS", "0x6a", 106),
        ("NVSHMEM_IB_TRAFFIC_CLASS", "0152", 106),
        ("NCCL_GIN_IB_TC", "-1", -1),
    ],
)
def test_a_value_is_what_its_library_reads(variable: str, text: str, number: int | None) -> None:
    assert meant(variable, text) == number


@pytest.mark.needs("ucx_info")
@pytest.mark.parametrize("text", ["106", "0106", "0x6a", "auto", "1O6"])
def test_ucx_itself_takes_just_those_texts_for_the_policys_class_that_the_table_takes(text: str) -> None:
    program = programs.find("ucx_info")
    assert program is not None
    shown = subprocess.run(
        [program, "-c", "-a"],
        env={"UCX_IB_TRAFFIC_CLASS": text},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    ).stdout
    of_transports = set(re.findall(r"^UCX_(?:RC|UD)_VERBS_TRAFFIC_CLASS=(.*)$", shown, re.MULTILINE))
    assert (of_transports == {"106"}) is (meant("UCX_IB_TRAFFIC_CLASS", text) == 106), of_transports


def test_variables_of_a_library_that_are_not_of_rdma_do_not_ask_for_its_traffic_class() -> None:
    names = ["UCX_TLS", "UCX_NET_DEVICES", "NVSHMEM_DEBUG", "NCCL_DEBUG", "MC_HOST_minio"]
    assert list(unmarked(names)) == []
    assert [each.variable for each in unmarked([*names, "UCX_IB_GID_INDEX"])] == ["UCX_IB_TRAFFIC_CLASS"]


def test_the_page_of_libraries_has_every_row_with_its_source() -> None:
    page = (CHECKOUT / "docs" / "rdma-libraries.md").read_text()
    for each in SETTINGS:
        assert f"| `{each.variable}` |" in page and each.since in page and each.source in page
    assert len(re.findall(r"^\| `", page, re.MULTILINE)) == len(SETTINGS)


def test_what_runs_on_hosts_knows_the_same_libraries() -> None:
    code = (CHECKOUT / "plugins/module_utils/nccl_settings.py").read_text()
    follows = {each.variable: each.follows for each in SETTINGS if each.follows}
    assert str(follows).replace("'", '"') in code
    decimal = {each.variable.partition("_")[0] + "_" for each in SETTINGS if each.decimal}
    assert all(f'"{each}"' in code for each in decimal)

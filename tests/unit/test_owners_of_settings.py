"""The README's table of settings in a Kubernetes cluster: each has an owner that exists, and a check."""

from __future__ import annotations

import re
from pathlib import Path

from nornir_tasks.checks.hosts.host_suite import ROLES
from nornir_tasks.usecases.kubernetes import Choices, k8s_rdma
from nornir_tasks.usecases.site import load

ROOT = Path(__file__).parents[2]
CHECKS = ("`nornir validate`", "`host_validate`", "refuse", "tests", "a test", "Molecule", "the API server")
MEANT = {
    "numVfs": "NUM_OF_VFS",
    "rawNvConfig": "rawNvConfig",
    "roceOptimized": "trust, PFC, ToS",
    "linkType": "link type",
}
"""A field of NicConfigurationTemplate -> what the table calls it."""


def rows() -> list[list[str]]:
    text = (ROOT / "docs/kubernetes.md").read_text(encoding="utf-8")
    table = text.split("| setting | owner | how that is checked |\n|---|---|---|\n")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]


def test_each_setting_has_an_owner_that_is_there_and_a_check() -> None:
    found = rows()
    assert len(found) > 15
    for row in found:
        assert len(row) == 3, row
        assert any(check in row[2] for check in CHECKS), row
        for name in re.findall(r"\broles? `(\w+)`", " ".join(row)):
            assert (ROOT / "roles" / name).is_dir(), name
    assert {"rail_interfaces", "rdma_stack", "roce_qos", "gpudirect"} <= set(ROLES)


def test_what_the_nics_template_sets_is_in_the_table() -> None:
    every = k8s_rdma(load(str(ROOT / "inventory/lab")), Choices()).all
    (template,) = (each["spec"]["template"] for each in every if each["kind"] == "NicConfigurationTemplate")
    assert set(template) == set(MEANT)
    assert template["linkType"] == "Ethernet"
    words = "\n".join(" ".join(row) for row in rows())
    assert [each for each in MEANT.values() if each not in words] == []
    names = {each["name"].rpartition("_P")[0] for each in template["rawNvConfig"]}
    assert [name for name in names if f"`{name}`" not in words] == []

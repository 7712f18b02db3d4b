"""What an audit says of device plug-ins: each wrong selector is named, by the rules that the plug-in itself follows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.manifests import whole_ports
from nornir_tasks.checks.manifests.suite import Audit
from nornir_tasks.usecases import audit as usecase
from nornir_tasks.usecases import kubernetes
from nornir_tasks.usecases.kubernetes import Choices
from nornir_tasks.usecases.site import SiteDesign, load
from tests import device_plugin
from tests.unit.usecases import audit_mutants
from tests.unit.usecases.crossing_site import crossing_site

TABLE = Path(__file__).parents[2] / "corpus/kubernetes/device_plugin.tsv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crossing_site(tmp_path_factory.mktemp("crossing"))


@pytest.fixture(scope="module")
def site(folder: Path) -> SiteDesign:
    return load(str(folder))


@pytest.fixture(scope="module")
def exported(site: SiteDesign) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(dict(each))) for each in kubernetes.k8s_rdma(site, Choices()).all]


def judged(site: SiteDesign, objects: list[dict[str, Any]], folder: Path) -> Audit:
    (folder / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
    return usecase.audit_k8s(site, str(folder))


def test_groups_whose_addresses_cross_are_audited_without_a_finding(
    site: SiteDesign, exported: list[dict[str, Any]], tmp_path: Path
) -> None:
    found = judged(site, exported, tmp_path)
    assert [each for each in found.results if each.verdict is not Verdict.PASS] == []


def test_each_selector_that_selects_nothing_or_too_much_is_named_with_line_and_remedy(
    site: SiteDesign, exported: list[dict[str, Any]], folder: Path, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    hosts = list(device_plugin.hosts_of(folder / "fabric.yml", site.network.site))
    named = broken = 0
    for what, objects, words in audit_mutants.of_devices(exported, "gpu", "0000:00:18.0"):
        found = judged(site, objects, tmp_path)
        wrong = [each for each in (*found.failed, *found.undecided) if words in each.message or words in each.object]
        assert wrong, (what, [(each.message, each.found) for each in (*found.failed, *found.undecided)])
        assert all("cluster.yaml:" in each.where and each.remedy for each in wrong), what
        named += 1
        broken += is_broken(objects, hosts)
    figure(
        f"audit of device plug-ins: {named} of {named} mutants named, {broken} of them break hosts by the simulation"
    )
    assert broken > 15


def is_broken(objects: list[dict[str, Any]], hosts: list[device_plugin.Host]) -> bool:
    try:
        return device_plugin.faults(objects, hosts, "compute") != []
    except device_plugin.PluginEndsError:
        return True


def test_labels_that_only_the_cluster_knows_leave_a_configuration_undecided_where_another_group_would_be_wrong(
    site: SiteDesign, exported: list[dict[str, Any]], tmp_path: Path
) -> None:
    policies = [each for each in exported if each["kind"] == "NicNodePolicy"]
    rest = [each for each in exported if each["kind"] != "NicNodePolicy"]
    for policy in policies:
        changed = {**policy, "spec": {**policy["spec"], "nodeSelector": {"pool": "a"}}}
        found = judged(site, [*rest, changed], tmp_path)
        assert found.failed == ()
        assert ["which nodes have this configuration" in one.message for one in found.undecided] == [True]


def test_the_audit_knows_every_selector_of_the_table_and_which_of_them_a_whole_port_never_passes() -> None:
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if line.startswith("selector\t")]
    assert {row[1] for row in rows} == set(whole_ports.SELECTORS)
    assert {row[1] for row in rows if row[3] == "-"} == set(whole_ports.OF_FUNCTIONS)
    assert all(row[-1].split(";")[0].startswith("pkg/") for row in rows)

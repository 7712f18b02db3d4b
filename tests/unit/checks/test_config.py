"""Lines too many and lines missing, on the port they are about."""

from dataclasses import replace

import pytest
from lab_evidence import SWITCHES, clean, fabric_port, rendered, unlike

from nornir_tasks.checks.evidence import Evidence, Finding, OthersLine, Verdict
from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.config import check_config
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path, difference


def running(device: str, tree: ConfigTree) -> Evidence:
    """One switch runs these owned lines."""
    changes = tuple(difference(tree, rendered()[device].tree))
    return replace(clean(), changes={**clean().changes, device: changes})


def leaves(device: str) -> list[Path]:
    return [path for path, node in rendered()[device].tree.walk() if not node.children]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", SWITCHES)
def test_every_missing_line_is_one_finding_of_this_check_alone(device) -> None:
    for path in leaves(device):
        tree = rendered()[device].tree.copy()
        tree.get(*path[:-1]).children.pop(path[-1])
        check, (finding,) = unlike(running(device, tree))
        assert (check, finding.device, finding.found) == ("config", device, "missing")
        assert finding.expected == " / ".join(path)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", SWITCHES)
def test_every_line_too_many_is_one_finding_of_this_check_alone(device) -> None:
    containers = {path[:-1] for path in leaves(device)}
    assert len(containers) > 5
    for above in containers:
        tree = rendered()[device].tree.copy()
        tree.add_path((*above, "a line nobody asked for"))
        check, (finding,) = unlike(running(device, tree))
        assert (check, finding.device, finding.expected) == ("config", device, "no such line")
        assert finding.found.endswith("a line nobody asked for")


@pytest.mark.parametrize("device", SWITCHES)
def test_a_changed_line_of_a_port_names_the_port_and_its_far_end(device) -> None:
    port = fabric_port(device)
    far = clean().far[device, port]
    for finding in findings_of(device, lambda path: port in " ".join(path).split()):
        assert finding.port == port
        assert finding.message.startswith(f"{device} {port} <-> {far.device} {far.port}: missing line")


@pytest.mark.parametrize("device", SWITCHES)
def test_a_changed_line_of_a_neighbour_names_the_port_that_leads_to_it(device) -> None:
    config = clean().wanted[device]
    for neighbor in config.bgp.neighbors:
        words = {neighbor.address, f'"{neighbor.address}"', f"{neighbor.address}:"}
        found = findings_of(device, lambda path, words=words: bool(words & set(" ".join(path).split())))
        assert {each.port for each in found} == {clean().port_of_neighbor(device, neighbor.key)}


def findings_of(device: str, about) -> list[Finding]:
    """Findings for each line about something, were it missing."""
    changes = tuple(Change(path, "+") for path in leaves(device) if about(path))
    assert changes
    return [each for each in check_config(replace(clean(), changes={device: changes})) if each.verdict is Verdict.FAIL]


ANNOUNCES = OthersLine("router bgp 65000 / redistribute connected", "it announces prefixes of ours", Verdict.FAIL)
UNTOLD = OthersLine("router bgp 65000 / something new", "the intent does not have it", Verdict.ERROR)


@pytest.mark.parametrize("device", SWITCHES)
@pytest.mark.parametrize(
    ("line", "verdict"), [(ANNOUNCES, "fail"), (UNTOLD, "could not tell")], ids=["announces", "untold"]
)
def test_a_line_of_others_that_may_matter_is_a_finding_of_its_own_though_a_push_leaves_it(
    device: str, line: OthersLine, verdict: str
) -> None:
    check, (finding,) = unlike(replace(clean(), others={device: (line,)}), verdict)
    assert (check, finding.device, finding.found) == ("config", device, line.line)
    assert finding.message == f"{device}: line of others '{line.line}': {line.reason}"


def test_lines_of_others_are_not_counted_so_each_switch_counts_once_whatever_stands_there() -> None:
    (device, *_) = SWITCHES
    without, beside = check_config(clean()), check_config(replace(clean(), others={device: (ANNOUNCES, UNTOLD)}))
    assert [each for each in beside if each.counted] == [each for each in without if each.counted]
    assert [each.verdict for each in beside if not each.counted] == [Verdict.FAIL, Verdict.ERROR]


def test_a_switch_with_a_line_of_others_that_announces_ours_runs_what_is_wanted_all_the_same() -> None:
    (device, *_) = SWITCHES
    found = [each for each in check_config(replace(clean(), others={device: (ANNOUNCES,)})) if each.device == device]
    assert [each.verdict for each in found] == [Verdict.PASS, Verdict.FAIL]
    report = judge(replace(clean(), others={device: (ANNOUNCES,)}))
    assert [each.found for each in report.failed] == [ANNOUNCES.line]

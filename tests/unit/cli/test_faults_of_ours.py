"""A step of the design that fails is a fault of ours: the message names the step and asks for a report, exit code 1."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.faults import fault
from nornir_tasks.design.pipeline import design
from nornir_tasks.errors import GpufabricError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from tests.plain_facts import plain_facts

SITE = Path(__file__).parents[3] / "inventory/lab-breakout/fabric.yml"
KIND = """
from nornir_tasks.design.contribute.host_ports import announced, partial_configs
from nornir_tasks.design.demand.kinds import PlaneKind

class Undecided:
    def __bool__(self):
        return bool(1 // 0)

def owner(plane, fabric):
    return plane.rails // 0

KIND = PlaneKind(owner, announced, partial_configs, has_transport=HAS_TRANSPORT)
"""
"""A kind of plane, as anybody may add one, that divides by zero: in one step of the design or in another."""
START = """
import sys
from nornir_tasks.design.contribute import planes
planes.__path__.append(sys.argv.pop(1))
from nornir_tasks.cli.main import main
main()
"""


def designed(folder: Path, has_transport: str, *options: str, mistake: str = "") -> subprocess.CompletedProcess[str]:
    """``nornir design`` of a site with a plane of the broken kind."""
    kinds, site = folder / "kinds", folder / "site"
    kinds.mkdir()
    site.mkdir()
    (kinds / "broken.py").write_text(KIND.replace("HAS_TRANSPORT", has_transport))
    text = SITE.read_text().replace("    link: p2p", "    link: p2p\n    kind: broken", 1)
    assert "kind: broken" in text
    (site / "fabric.yml").write_text(text + mistake)
    command = [sys.executable, "-c", START, str(kinds), "design", "--site", str(site), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_step_that_fails_is_named_with_where_and_why_and_ends_with_exit_code_1(tmp_path: Path) -> None:
    done = designed(tmp_path, "False")
    assert done.returncode == 1
    assert "step declared (design/contribute/owners.py) failed: a fault of gpufabric" in done.stderr
    assert (
        "found: ZeroDivisionError: integer division or modulo by zero; at design/contribute/planes/broken.py:"
        in done.stderr
    )
    assert "hint: please report it" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_it_is_data_with_json(tmp_path: Path) -> None:
    done = designed(tmp_path, "False", "--json")
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["exit_code"]) == ("GpufabricError", 1)
    assert "step declared" in error["problems"][0]["what"]


def test_a_fault_hides_no_mistake_of_the_file(tmp_path: Path) -> None:
    done = designed(tmp_path, "Undecided()", mistake="\nmisspelt: 1\n")
    assert done.returncode == 3
    assert "misspelt: unknown key" in done.stderr
    assert "step demands (design/demand/fabric_demand.py) failed" in done.stderr


def test_a_record_that_fails_is_a_fault_of_the_step_that_asked_for_it() -> None:
    def broken(release: str, asic: str) -> Capabilities:
        raise ZeroDivisionError

    facts = {name: replace(each, capabilities=broken) for name, each in plain_facts().items()}
    with pytest.raises(GpufabricError) as caught:
        design(load_intent(SITE), load_catalogue(), facts)
    assert type(caught.value) is GpufabricError
    assert "step choose (design/demand/choices.py) failed" in caught.value.problems[0].what


def test_what_fails_outside_of_pure_steps_is_none_of_their_faults() -> None:
    assert fault(ValueError("raised by no step")) is None

"""What firewalls run, read from their kernels by the playbook, and judged by ``nornir prove --firewalls``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from boundary_pair import ROOT, SITE
from test_boundary_proof import FIREWALLS, text, variables

from nornir_tasks.errors import IntentError
from nornir_tasks.lab.boundary.firewall import room_for
from nornir_tasks.lab.boundary.room import Room
from nornir_tasks.proofs.rules.judge import Guarded
from nornir_tasks.usecases.proofs.prove_boundary import FILES, prove_boundary
from nornir_tasks.usecases.site import load

pytestmark = pytest.mark.needs("root", "nft", "ip")
PLAYBOOK = ROOT / "playbooks" / "boundary_state.yml"


@pytest.fixture(scope="module")
def rooms() -> Iterator[dict[str, Room]]:
    """Both firewalls; the first one has the shared addresses."""
    one, other = (room_for(variables(name), {}) for name in FIREWALLS)
    with one, other:
        for zone in variables("firewall-2").zones:
            for address in filter(None, (zone.shared, zone.shared_v6)):
                other.run("ip", "address", "del", address, "dev", zone.port)
        for name, room in zip(FIREWALLS, (one, other), strict=True):
            room.run("nft", "-f", "-", text=text(name))
        yield dict(zip(FIREWALLS, (one, other), strict=True))


def read(rooms: dict[str, Room], folder: Path) -> None:
    """As an operator does; each firewall is this machine, in the network namespace of its room."""
    for name, room in rooms.items():
        inventory = folder / f"{name}.yml"
        host = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        inventory.write_text(json.dumps({"firewalls": {"hosts": {name: host}}}))
        playbook = str(Path(sys.executable).with_name("ansible-playbook"))
        room.run(playbook, "-i", str(inventory), str(PLAYBOOK), "-e", f"boundary_state_folder={folder / 'out'}")


@pytest.fixture(scope="module")
def folder(rooms: dict[str, Room], tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("collected")
    read(rooms, made)
    return made / "out"


def proved(folder: Path) -> Guarded:
    guarded, problems = prove_boundary(load(SITE.parent), str(folder))
    assert problems == []
    assert guarded is not None
    return guarded


def test_the_playbook_reads_what_the_proof_needs(folder: Path) -> None:
    assert {str(path.relative_to(folder)) for path in folder.rglob("*.json")} == {
        f"{name}/{file}.json" for name in FIREWALLS for file in FILES
    }


def test_what_both_kernels_have_is_proved_and_the_one_without_shared_addresses_need_let_nothing_pass(
    folder: Path,
) -> None:
    guarded = proved(folder)
    assert guarded.proved == len(guarded.pairs) > 200


def changed(folder: Path, made: Path, name: str, old: str, new: str) -> Path:
    for path in folder.rglob("*.json"):
        copy = made / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text().replace(old, new) if path.parent.name == name else path.read_text())
    return made


def test_a_rule_that_somebody_changed_on_the_idle_firewall_is_found(folder: Path, tmp_path: Path) -> None:
    failed = proved(changed(folder, tmp_path, "firewall-2", '"right": 8443', '"right": 8444')).failed
    assert {each.firewall for pair in failed for each in pair.breaches} == {"firewall-2"}
    assert {each.kind for pair in failed for each in pair.breaches} == {"open"}


def test_where_nobody_has_the_shared_addresses_nothing_is_proved(folder: Path, tmp_path: Path) -> None:
    made = changed(folder, tmp_path, "firewall-1", "", "")
    for file in FILES:
        (made / "firewall-1" / f"{file}.json").write_text((folder / "firewall-2" / f"{file}.json").read_text())
    _, problems = prove_boundary(load(SITE.parent), str(made))
    assert ["no firewall has a shared address" in each.what for each in problems] == [True]


def test_files_that_are_missing_or_something_else_are_named_all_at_once(folder: Path, tmp_path: Path) -> None:
    made = changed(folder, tmp_path, "", "", "")
    (made / "firewall-1" / "ruleset.json").write_text("[]")
    (made / "firewall-1" / "routes.json").write_text("no json")
    (made / "firewall-2" / "routes_v6.json").unlink()
    with pytest.raises(IntentError) as caught:
        prove_boundary(load(SITE.parent), str(made))
    lines = [str(each) for each in caught.value.problems]
    assert len(lines) == 3
    assert "is something else\n  expected: what nft -j list ruleset prints" in lines[0]
    assert "is no JSON" in lines[1]
    assert "cannot be read" in lines[2]
    assert "ip -j -6 route show table all > routes_v6.json" in lines[2]

"""A site of one's own: it can be designed, nothing in it loosens safety, and nothing is written where it is refused."""

import os
import re
from pathlib import Path

import pytest
import yaml

from nornir_tasks.errors import DesignError, GpufabricError, IntentError, LocalError, RefusedError
from nornir_tasks.files import starter
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import built_in, load_site
from nornir_tasks.usecases.site import load
from nornir_tasks.usecases.start import create
from nornir_tasks.usecases.start.answers import Answers, Model, gbps_of, model_of, planes_of, site_name
from nornir_tasks.usecases.start.update import updated

COMPUTE = ("compute",)
LOOSE = re.compile(
    r"reboot_allowed: *(true|yes|on)|disrupt_max|failed_percent|allow_memory|unguarded|accept_release|"
    r"unused_ports: *leave|host_key_checking|StrictHostKey|verify: *false"
)
"""What lets more happen to a site than the defaults do."""


def small(**changes: object) -> Answers:
    return Answers(**{"site": "dc1", "planes": COMPUTE, "nics": 1, **changes})  # type: ignore[arg-type]


def files(folder: Path) -> dict[str, str]:
    return {each.relative_to(folder).as_posix(): each.read_text() for each in folder.rglob("*") if each.is_file()}


def test_every_file_is_there_and_the_site_is_designed(tmp_path: Path) -> None:
    made = create.from_answers(tmp_path / "new/dc1", small(), "github")
    there = files(tmp_path / "new/dc1")
    assert set(there) == set(made.files)
    assert {"fabric.yml", "devices.yml", "gpufabric.yml", ".gitignore", ".github/workflows/fabric.yml"} <= set(there)
    design = load(tmp_path / "new/dc1")
    assert design.site.name == "dc1"
    assert made.switches == len(design.network.devices)
    assert yaml.safe_load(there["devices.yml"].replace("!secret ", ""))["devices"].keys() == {
        each.name for each in design.network.devices
    }
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["dc1"]


@pytest.mark.parametrize("service", starter.services())
def test_what_continuous_integration_runs_is_yaml_and_reaches_no_real_switch(service: str, tmp_path: Path) -> None:
    made = create.from_answers(tmp_path / "dc1", small(), service)
    (name,) = (each for each in made.files if each.endswith(".yml") and each.startswith("."))
    text = (tmp_path / "dc1" / name).read_text()
    jobs = yaml.safe_load(text)
    steps = jobs["lab"]["script"] if "lab" in jobs else [each.get("run") for each in jobs["jobs"]["lab"]["steps"]]
    assert list(starter.offer().in_the_lab) == [each for each in steps if each][1:]
    reaching = [each for each in steps if each and re.search(r"nornir (push|plan|validate|lab)", each)]
    assert reaching
    assert all("--site out/lab" in each for each in reaching)


@pytest.mark.parametrize("example", sorted(create.examples()))
def test_no_built_in_site_that_people_copy_loosens_safety(example: str) -> None:
    folder = built_in()[example]
    assert {each.name for each in folder.iterdir()} <= {"fabric.yml", "gpufabric.yml"}, "no variables of any role"
    assert LOOSE.search((folder / "fabric.yml").read_text()) is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("example", sorted(create.examples()))
def test_a_copy_of_a_built_in_site_is_designed_like_it_under_its_own_name(example: str, tmp_path: Path) -> None:
    made = create.from_example(tmp_path / "dc1", example, "dc1", "gitlab")
    site, original = load_site(tmp_path / "dc1"), load_site(example)
    assert site.name == "dc1"
    assert {**site.intent.model_dump(), "site": original.name} == original.intent.model_dump()
    text = (tmp_path / "dc1/fabric.yml").read_text()
    assert f"--site {example}" not in text
    assert text.endswith(starter.management_text())
    assert not any(LOOSE.search(each) for each in files(tmp_path / "dc1").values())
    assert bool(made.notes) == (site.intent.boundary is not None)


def test_what_is_made_loosens_nothing(tmp_path: Path) -> None:
    create.from_answers(tmp_path / "dc1", small(planes=("compute", "storage", "business", "oob")), "github")
    assert not any(LOOSE.search(each) for each in files(tmp_path / "dc1").values())
    assert "gpufabric_reboot_allowed: false" in (tmp_path / "dc1/group_vars/compute.yml").read_text()


def test_switches_are_real_only_where_both_files_say_so_and_one_line_of_the_list_decides(tmp_path: Path) -> None:
    create.from_answers(tmp_path / "dc1", small(), None)
    intent, listed = tmp_path / "dc1/fabric.yml", tmp_path / "dc1/devices.yml"
    found, texts = [], (intent.read_text(), listed.read_text())
    for one in (texts[0], texts[0].replace("source: devices", "source: lab")):
        for other in (texts[1], re.sub(r"^source: lab.*\n", "", texts[1], flags=re.MULTILINE)):
            intent.write_text(one)
            listed.write_text(other)
            found.append(load_site(tmp_path / "dc1").intent.management.source)
    assert found == ["lab", "devices", "lab", "lab"]


def test_what_was_pushed_to_the_lab_is_kept_apart_from_what_was_pushed_to_real_switches(tmp_path: Path) -> None:
    create.from_answers(tmp_path / "dc1", small(), None)
    played = load_site(tmp_path / "dc1")
    listed = tmp_path / "dc1/devices.yml"
    listed.write_text(re.sub(r"^source: lab.*\n", "", listed.read_text(), flags=re.MULTILINE))
    real = load_site(tmp_path / "dc1")
    assert played.state_directory == real.state_directory == real.record_directory != played.record_directory
    assert played.record_directory.stat().st_mode & 0o777 == 0o700


def test_files_in_the_way_are_all_named_and_stay(tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text("mine")
    (tmp_path / ".gitignore").write_text("mine too")
    (tmp_path / "README").write_text("not in the way")
    with pytest.raises(RefusedError) as caught:
        create.from_answers(tmp_path, small(), None)
    assert len(caught.value.problems) == 2
    assert files(tmp_path) == {"fabric.yml": "mine", ".gitignore": "mine too", "README": "not in the way"}


def test_a_folder_with_other_files_is_taken(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("mine")
    create.from_answers(tmp_path, small(), None)
    assert (tmp_path / "README").read_text() == "mine"
    assert load(tmp_path).network.devices


def test_a_file_where_the_folder_would_be_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "dc1").write_text("mine")
    with pytest.raises(RefusedError, match="no folder"):
        create.from_answers(tmp_path / "dc1/sub", small(), None)
    assert files(tmp_path) == {"dc1": "mine"}


def test_nothing_is_left_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, seen = Path.rename, []

    def full(self: Path, target: Path) -> Path:
        seen.append(target)
        if len(seen) == 3:
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "rename", full)
    (tmp_path / "there").mkdir()
    for folder in (tmp_path / "there", tmp_path / "new/dc1"):
        seen.clear()
        with pytest.raises(LocalError, match="No space left on device"):
            create.from_answers(folder, small(), "github")
    assert [each.name for each in tmp_path.rglob("*")] == ["there"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_an_error_of_this_machine(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(LocalError, match="Permission denied"):
        create.from_answers(tmp_path / "dc1", small(), None)


def test_ctrl_c_while_files_are_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        create.from_answers(tmp_path / "dc1", small(), None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"hosts": 70_000}, "hosts.gpu.count"),
        ({"hosts": 8, "most": 4}, "--max: fewer hosts than there are"),
        ({"nics": 17}, "hosts.gpu.nics.compute.rails"),
        ({"speed_gbps": 333}, "--speed: no switch has ports of 333G"),
        ({"speed_gbps": 800, "leaf": Model("nxos")}, "with such ports: eos:7060X6-64PE, nvue:SN5600"),
        ({"speed_gbps": 800, "leaf": Model(model="SN3700")}, "expected: one of 40G, 100G, 200G"),
        ({"nic": "ConnectX-6"}, "--nic: ConnectX-6 has no port of 400G"),
        ({"nic": "ConnectX7"}, "one of ConnectX-7"),
        ({"site": "Über all"}, "--name: not a name"),
        ({"oversubscription": "none"}, "spine.oversubscription"),
        ({"planes": ("oob",)}, "--planes"),
        ({"spine": Model("nvue", "SN2201"), "hosts": 300}, "change --hosts, --nics, --speed"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_change_and_nothing_is_written(
    changes: dict[str, object], says: str, tmp_path: Path
) -> None:
    with pytest.raises(GpufabricError) as caught:
        create.from_answers(tmp_path / "dc1", small(**changes), "github")
    assert isinstance(caught.value, IntentError | DesignError)
    assert says in str(caught.value)
    assert "/tmp" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_there_is_answered_with_those_like_it_and_how_to_list_all() -> None:
    with pytest.raises(IntentError) as caught:
        model_of("--leaf", "nvue:SN560")
    assert "expected: one of SN5610, SN5600" in str(caught.value)
    assert "hint: nornir init --list" in str(caught.value)
    with pytest.raises(IntentError, match="SN5600 does not run eos"):
        model_of("--leaf", "eos:SN5600")
    with pytest.raises(IntentError, match="no such switch OS"):
        model_of("--leaf", "junos:SN5600")
    assert model_of("--leaf", "nvue") == Model("nvue")
    assert model_of("--leaf", "SN5600") == Model(None, "SN5600")


def test_words_of_the_command_line_that_mean_nothing_are_refused() -> None:
    assert gbps_of("400g") == gbps_of("400") == 400
    for wrong in ("fast", "", "-1", "0"):
        with pytest.raises(IntentError, match="--speed"):
            gbps_of(wrong)
    assert planes_of(" compute, oob ") == ("compute", "oob")
    for wrong in ("compute,stroage", "", ","):
        with pytest.raises(IntentError, match="--planes"):
            planes_of(wrong)


@pytest.mark.parametrize(("folder", "name"), [("DC 1", "dc-1"), ("7up", "up"), ("...", "site"), ("a" * 40, "a" * 32)])
def test_a_site_is_called_as_its_folder_as_far_as_that_can_be(folder: str, name: str) -> None:
    assert site_name(folder) == name


def test_a_model_that_is_no_product_is_taken_by_its_name_alone(tmp_path: Path) -> None:
    made = load_catalogue().switches
    reference = next(name for name, each in made.items() if not each.asic)
    create.from_answers(tmp_path / "dc1", small(leaf=Model(None, reference), spine=Model(None, reference)), None)
    create.from_answers(tmp_path / "dc2", small(), None)
    assert {each.model for each in load(tmp_path / "dc1").network.devices} == {reference}
    assert all(made[each.model].asic for each in load(tmp_path / "dc2").network.devices)


def grown(folder: Path) -> None:
    file = folder / "fabric.yml"
    file.write_text(re.sub(r"(count|max): 4\b", r"\1: 100", file.read_text()))


def test_update_adds_switches_of_a_design_that_has_grown_and_keeps_every_line(tmp_path: Path) -> None:
    create.from_answers(tmp_path, small(), None)
    file = tmp_path / "devices.yml"
    mine = file.read_text().replace('address: "???"', "address: 192.0.2.1", 1)
    file.write_text(f"{mine}  # cabled by night shift\n\n# my own last word\n")
    before = file.read_text().splitlines()
    grown(tmp_path)
    done = updated(tmp_path)
    after = file.read_text().splitlines()
    assert done.added
    assert done.gone == ()
    assert [line for line in after if line.partition(":")[0].strip() not in done.added] == before
    assert set(load(tmp_path).site.devices.names()) == {each.name for each in load(tmp_path).network.devices}  # type: ignore[union-attr]
    again = updated(tmp_path)
    assert again.added == ()
    assert file.read_text().splitlines() == after


def test_update_names_what_the_design_no_longer_has_and_leaves_it(tmp_path: Path) -> None:
    create.from_answers(tmp_path, small(), None)
    file = tmp_path / "devices.yml"
    file.write_text(file.read_text() + '  old-1: {address: 192.0.2.9}\n  old-2: {address: "???"}\n')
    before = file.read_text()
    assert updated(tmp_path).gone == ("old-1", "old-2")
    assert file.read_text() == before


def test_update_writes_a_list_where_there_is_none(tmp_path: Path) -> None:
    create.from_answers(tmp_path, small(), None)
    text = (tmp_path / "devices.yml").read_text()
    (tmp_path / "devices.yml").unlink()
    assert len(updated(tmp_path).added) == 3
    assert (tmp_path / "devices.yml").read_text() == text

"""Why a plan is not pushed: each refusal by its message, and all that is wrong of a file at once.

``pytest tests/lab/test_plan_refusals.py --update-golden`` writes the messages to tests/errors/plan_files/, to be read.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

import pytest
from at_terminal import ROOT
from planned_site import AT, DEVICES, PlannedSite, Typed, make_keys

from nornir_tasks.errors import GpufabricError, LocalError, Problem, RefusedError
from nornir_tasks.files import plan_document, signatures
from nornir_tasks.intent.core.secret_name import for_others
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.usecases import approval, plan_file
from nornir_tasks.usecases.site import select

GOLDEN = ROOT / "tests/errors/plan_files"
SOON = AT + timedelta(hours=1)
BY_SYSTEM = pytest.mark.parametrize("system", sorted(DEVICES))

Golden = Callable[[str, Iterable[Problem]], None]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def site(tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> PlannedSite:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))
    return PlannedSite.made(tmp_path, keys)


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path: Path, keys: Path) -> Golden:
    """Compares messages with those that were read; hashes, keys and folders are of this run alone."""

    def compare(name: str, problems: Iterable[Problem]) -> None:
        text = "\n".join(map(str, problems)) + "\n"
        text = text.replace(f"{tmp_path}/", "").replace(f"{keys}/", "")
        text = re.sub(r"\b[0-9a-f]{64}\b", "<sha256>", text)
        text = re.sub(r"SHA256:\S+", "SHA256:<key>", text)
        text = re.sub(r"found: (Couldn't|Signature) .*", "found: <what ssh-keygen says>", text)
        file = GOLDEN / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")

    return compare


def refused(site: PlannedSite, file: Path) -> tuple[Problem, ...]:
    """What an attempt to push it is answered with, before any switch is asked."""
    with pytest.raises(GpufabricError) as caught:
        plan_file.to_push(site.design, file, SOON)
    assert caught.value.exit_code in (7, 11)
    return caught.value.problems


def approved(site: PlannedSite) -> Path:
    file = site.plan()
    site.sign(file, "alice", "bob")
    return file


def rewritten(file: Path, **keys: object) -> None:
    """With other values, and the hash that fits them."""
    document = {name: value for name, value in json.loads(file.read_text()).items() if name != "hash"} | keys
    file.write_bytes(plan_document.as_bytes(document))


def test_a_plan_that_two_have_signed_may_be_pushed(site: PlannedSite) -> None:
    found = plan_file.to_push(site.design, approved(site), SOON)
    assert found.planned.approved_by == ("alice", "bob")
    assert sorted(found.planned.switches) == sorted(site.switches)
    plans = site.summaries()
    for name, each in found.planned.switches.items():
        assert each.summary.changes == plans[name].changes
        assert each.summary.others == plans[name].others
        assert each.read == plans[name].read


def test_a_plan_that_nobody_signed(site: PlannedSite, golden: Golden) -> None:
    golden("unsigned", refused(site, site.plan()))


def test_one_person_who_signs_with_two_names_of_files_counts_once(site: PlannedSite, golden: Golden) -> None:
    file = site.plan()
    site.sign(file, "alice")
    shutil.copy(f"{file}.alice.sig", f"{file}.sig")
    golden("signed_by_one", refused(site, file))


def test_one_person_with_two_keys_counts_once(site: PlannedSite, keys: Path, golden: Golden) -> None:
    signers = site.folder / "allowed_signers"
    signers.write_text(signers.read_text() + f"alice {(keys / 'eve.pub').read_text()}")
    file = site.plan()
    site.sign(file, "alice", "eve")
    golden("signed_by_one", refused(site, file))


def test_a_signer_who_may_not(site: PlannedSite, golden: Golden) -> None:
    file = site.plan()
    site.sign(file, "alice", "bob", "eve")
    golden("signer_not_allowed", refused(site, file))


def test_a_signer_who_was_taken_off_the_list(site: PlannedSite) -> None:
    file, signers = approved(site), site.folder / "allowed_signers"
    signers.write_text(signers.read_text().replace("bob ssh", "carol ssh").replace(" bob", " carol"))
    assert plan_file.to_push(site.design, file, SOON).planned.approved_by == ("alice", "carol"), "names are the list's"
    signers.write_text("".join(row for row in signers.read_text().splitlines(keepends=True) if "carol" not in row))
    with pytest.raises(GpufabricError, match="does not list so many"):
        plan_file.to_push(site.design, file, SOON)


def test_a_signature_of_something_else(site: PlannedSite, golden: Golden) -> None:
    file = site.plan()
    site.sign(file, "alice", "bob")
    site.sign(file, "bob", namespace="git")
    golden("signature_for_something_else", refused(site, file))


def test_a_file_that_is_no_signature(site: PlannedSite, golden: Golden) -> None:
    file = approved(site)
    Path(f"{file}.sig").write_text("approved, Bob\n")
    golden("no_signature", refused(site, file))


def test_a_plan_that_was_replaced_after_it_was_signed(site: PlannedSite, golden: Golden) -> None:
    """Made again by gpufabric, so that its hash is right: the signatures are those of the one before."""
    file = approved(site)
    before = file.read_bytes()
    site.plan(AT + timedelta(minutes=1))
    assert file.read_bytes() != before
    golden("replaced", refused(site, file))


def test_a_plan_of_which_one_byte_was_changed(site: PlannedSite, golden: Golden) -> None:
    file = approved(site)
    file.write_text(file.read_text().replace('"limit": []', '"limit": ["spine-1"]'))
    golden("edited", refused(site, file))


def test_a_plan_that_was_edited_with_a_hash_that_fits_is_not_what_was_signed(site: PlannedSite) -> None:
    file = approved(site)
    rewritten(file, expires="2030-01-01T00:00:00+00:00")
    whats = [each.what for each in refused(site, file)]
    assert whats == ["this signature is not one of this plan"] * 2 + ["this plan is not approved"]


def test_another_byte_of_the_intent_a_late_hour_and_other_code_are_named_at_once(
    site: PlannedSite, golden: Golden
) -> None:
    file, intent = site.plan(), site.folder / "fabric.yml"
    code = json.loads(file.read_text())["code"]
    rewritten(file, code=code | {"sha256": "0" * 64})
    site.sign(file, "alice")
    intent.write_text(intent.read_text() + "#")
    with pytest.raises(RefusedError) as caught:
        plan_file.to_push(site.design, file, AT + timedelta(hours=8))
    golden("outdated", caught.value.problems)


def test_a_plan_expires_to_the_second(site: PlannedSite) -> None:
    file = approved(site)
    plan_file.to_push(site.design, file, AT + timedelta(hours=8, seconds=-1))
    with pytest.raises(RefusedError, match="this plan has expired"):
        plan_file.to_push(site.design, file, AT + timedelta(hours=8))


def test_a_plan_from_the_future(site: PlannedSite, golden: Golden) -> None:
    with pytest.raises(RefusedError) as caught:
        plan_file.to_push(site.design, approved(site), AT - timedelta(hours=1))
    golden("from_the_future", caught.value.problems)


@pytest.mark.parametrize(
    ("case", "keys_of_it"),
    [
        ("another_site", {"site": "elsewhere"}),
        ("another_version", {"version": 2}),
        ("another_document", {"schema": "gpufabric/plan"}),
        ("a_key_too_many", {"switchs": {}}),
        ("a_key_of_another_type", {"waves": "all"}),
        ("a_time_that_is_none", {"expires": "tomorrow"}),
    ],
)
def test_a_file_that_is_no_plan_of_this_site(
    case: str, keys_of_it: dict[str, object], site: PlannedSite, golden: Golden
) -> None:
    file = site.plan()
    rewritten(file, **keys_of_it)
    golden(case, refused(site, file))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"schema": 1}'])
def test_a_file_of_another_kind(content: bytes, site: PlannedSite, golden: Golden) -> None:
    file = site.folder / "plan.json"
    file.write_bytes(content)
    golden("no_plan", refused(site, file))


@pytest.mark.parametrize("text", ["eJw=", "x", ""])
def test_a_packed_part_that_is_damaged(text: str, site: PlannedSite) -> None:
    file = site.plan()
    switches = json.loads(file.read_text())["switches"]
    switches["spine-1"]["changes"] = text
    rewritten(file, switches=switches)
    (problem,) = refused(site, file)
    assert problem.what.startswith("this plan is damaged")


def test_a_plan_that_hides_a_switch_from_those_who_sign(site: PlannedSite, golden: Golden) -> None:
    """All four are pushed by its selection, and three are shown."""
    file = site.plan()
    switches = json.loads(file.read_text())["switches"]
    del switches["spine-2"]
    rewritten(file, switches=switches)
    site.sign(file, "alice", "bob")
    golden("hidden_switch", refused(site, file))


def test_a_plan_that_makes_a_change_look_milder(site: PlannedSite, golden: Golden) -> None:
    file = site.plan()
    switches = json.loads(file.read_text())["switches"]
    rows = json.loads(plan_document.unpacked(switches["spine-2"]["changes"]))
    flap = next(row for row in rows if row["disruption"] == "port-flap")
    flap["disruption"] = "none"
    switches["spine-2"]["changes"] = plan_document.packed(json.dumps(rows))
    rewritten(file, switches=switches)
    golden("milder", site.since(file, "spine-2"))


def test_a_file_that_is_not_there(site: PlannedSite, golden: Golden) -> None:
    golden("not_there", refused(site, site.folder / "plan.json"))


def test_a_push_without_a_plan(site: PlannedSite, golden: Golden) -> None:
    with pytest.raises(RefusedError) as caught:
        approval.require_no_approval(site.design)
    golden("without_a_plan", caught.value.problems)


def test_a_key_that_may_not_approve_signs_nothing(site: PlannedSite, keys: Path, golden: Golden) -> None:
    file = site.plan()
    with pytest.raises(RefusedError) as caught:
        approval.approve(site.design, file, file.read_bytes(), keys / "eve")
    golden("a_key_of_no_signer", caught.value.problems)
    assert signatures.signature_files(file) == ()


def test_a_key_that_is_not_there(site: PlannedSite, golden: Golden) -> None:
    file = site.plan()
    with pytest.raises(LocalError) as caught:
        approval.approve(site.design, file, file.read_bytes(), site.folder / "id_ed25519")
    golden("no_such_key", caught.value.problems)


def test_a_machine_without_ssh_keygen(site: PlannedSite, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    file = approved(site)
    monkeypatch.setenv("PATH", str(site.folder))
    monkeypatch.setattr("nornir_tasks.files.programs.SYSTEM_FOLDERS", ())
    golden("no_ssh_keygen", refused(site, file))


@pytest.mark.parametrize(("case", "text"), [("no_signers", None), ("too_few_signers", "alice ssh-ed25519 AAAA\n")])
def test_a_policy_that_nobody_can_meet(case: str, text: str | None, site: PlannedSite, golden: Golden) -> None:
    (site.folder / "allowed_signers").unlink()
    if text is not None:
        (site.folder / "allowed_signers").write_text(text)
    with pytest.raises(GpufabricError) as caught:
        site.plan()
    assert caught.value.exit_code == 3
    golden(case, caught.value.problems)


def test_a_plan_is_not_written_over_one_that_was_signed(site: PlannedSite, golden: Golden) -> None:
    file = approved(site)
    before = file.read_bytes()
    with pytest.raises(RefusedError) as caught:
        plan_document.write_plan(file, b"another one")
    golden("signed_already", caught.value.problems)
    assert file.read_bytes() == before


TYPED = {
    "eos": {
        "own": ("interface Ethernet1/1", "description by hand"),
        "area": ("interface Ethernet60/1", "description theirs"),
        "unrelated": ("ntp server 192.0.2.77",),
    },
    "nxos": {
        "own": ("interface Ethernet1/1", "description by hand"),
        "area": ("interface Ethernet1/60", "description theirs"),
        "unrelated": ("ntp server 192.0.2.77 use-vrf management",),
    },
    "nvue": {
        "own": ("interface", "swp1", 'description: "by hand"'),
        "area": ("vrf", "default", "router", "static", "192.0.2.0/24", "via", "blackhole", 'type: "blackhole"'),
        "unrelated": ("system", 'timezone: "Europe/Berlin"'),
    },
}


@BY_SYSTEM
@pytest.mark.parametrize("kind", ["own", "area", "unrelated"])
def test_a_line_typed_since_is_named(system: str, kind: str, site: PlannedSite, golden: Golden) -> None:
    file, device = site.plan(), DEVICES[system]
    assert site.since(file, device) == []
    site.switches[device].type(TYPED[system][kind])
    found = site.since(file, device)
    assert TYPED[system][kind][-1] in "".join(each.found for each in found)
    golden(f"typed_{system}_{kind}", found)


@BY_SYSTEM
def test_each_line_that_is_gone_since_is_named(system: str, site: PlannedSite) -> None:
    """Whatever line of a running configuration goes, the switch is not the one that was planned."""
    file, device = site.plan(), DEVICES[system]
    os = select(site.design)[device].platform
    whole = os.to_tree(site.switches[device].running())
    paths = sorted(path for path, node in whole.walk() if not node)
    assert len(paths) > 20
    for path in paths[:: max(1, len(paths) // 15)]:
        less = whole.copy()
        above = less.get(*path[:-1])
        assert above is not None
        del above.children[path[-1]]
        rest = os.to_tree(os.to_text(less))
        lost = [str(each) for each in difference(whole, rest)]
        if not lost:
            continue  # an empty container, which is no line
        (problem,) = site.since(file, device, runs=os.to_text(less))
        assert problem.what == "this switch was changed since the plan was made"
        assert all(for_others(line) in problem.found for line in lost)


@BY_SYSTEM
def test_another_switch_at_the_same_address(system: str, site: PlannedSite, golden: Golden) -> None:
    golden(f"another_switch_{system}", site.since(site.plan(), DEVICES[system], serial="SERIAL-other"))


@BY_SYSTEM
def test_a_secret_that_was_exchanged_since_is_named_and_its_value_nowhere(
    system: str, site: PlannedSite, golden: Golden
) -> None:
    """The switch ran the value of the site's secret when it was planned, and runs another one than the site has now."""
    file, device = site.folder / "fabric.yml", DEVICES[system]
    text = file.read_text()
    assert text.count("    routing: {") == 1
    file.write_text(text.replace("    routing: {", "    routing: {password: !secret between-switches, "))
    wanted = select(site.design)[device]
    tree = wanted.tree.copy()
    *above, last = next(path for path, node in tree.walk() if "description" in path[-1] and not node)
    del tree.get(*above).children[last]  # type: ignore[union-attr]
    runs = wanted.platform.to_text(tree)
    site.switches[device] = Typed(runs)
    assert "<secret:between-switches>" in runs
    plan = site.plan()
    assert "between-switches" in plan_file.read(site.design, plan).planned.switches[device].read.text
    assert site.since(plan, device) == []
    other = "<hidden:0123456789abcdef>"
    found = site.since(plan, device, runs=runs.replace("<secret:between-switches>", other))
    golden(f"secret_{system}", found)
    assert "0123456789abcdef" not in str(found)

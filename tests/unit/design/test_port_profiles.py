"""Two kinds of ports on one switch: each treats the classes in its own way, and all tell them apart alike."""

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.design.config.qos import Ecn, Qos
from nornir_tasks.design.contribute.merge import Contribution, merge
from nornir_tasks.design.model.capabilities import MARKS, NO_DROP, PAUSE, WEIGHT, Capabilities, Knob
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, ClassPolicy, PartialConfig, ProfilePolicy
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.realise.port_profiles import PortProfiles
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.ownership import split
from tests.property.mutants import each_change_is_reported, running_text
from tests.unit.design import toys
from tests.unit.design.toy_profiles import LOSSY, NAME, PROFILE, SHARED, network, profile_of, qos_of, realised, whole
from tests.unit.design.toy_profiles import MARKS as MARKED
from tests.unit.design.toys import ONE_OF_EACH, storage_port
from tests.unit.design.wanted_of import wanted_of

SYSTEMS = pytest.mark.parametrize("device", ONE_OF_EACH.values(), ids=ONE_OF_EACH)


def port_lines(device: str, port: str) -> set[str]:
    """Everything that a switch's configuration says below one port."""
    found = {" / ".join(path) for path, node in whole(device).tree.walk() if not node}
    start = {f"interface {port} / ", f"interface / {port} / "}
    return {line.removeprefix(each) for line in found for each in start if line.startswith(each)}


@SYSTEMS
def test_a_lossy_port_pauses_nothing_and_shares_and_marks_as_its_plane_says(device: str) -> None:
    profile = profile_of(device, storage_port(device))
    assert (profile.name, profile.pfc_priorities, profile.watchdog) == (NAME, (), False)
    queues = {queue.number: (queue.weight_percent, queue.ecn) for queue in profile.queues if not queue.strict}
    marks = Ecn(2_212_000, 4_424_000, 20) if device == ONE_OF_EACH["nxos"] else MARKED  # NX-OS counts in kbytes
    assert queues == {0: (25, None), 2: (70, marks), 3: (5, None)}


@SYSTEMS
def test_ports_of_the_other_plane_and_links_between_switches_stay_lossless(device: str) -> None:
    others = [port for port in realised(device).config.interfaces if port.qos_profile not in (None, NAME)]
    assert {profile_of(device, port.name).pfc_priorities for port in others} == {(3,)}
    assert all(profile_of(device, port.name).watchdog for port in others)
    assert len(others) > 2


@SYSTEMS
def test_a_code_point_means_the_same_on_all_ports(device: str) -> None:
    classes = {each.priority: each.dscp for each in qos_of(device).classes if each.priority in (2, 3)}
    assert classes == {2: (18,), 3: (26,)}
    assert sorted(point for each in qos_of(device).classes for point in each.dscp) == list(range(64))


LOSSY_PORT = {
    "eos": {"service-profile GPUFABRIC-STORAGE-LOSSY"},
    "nxos": {
        "priority-flow-control mode off",
        "service-policy type qos input GPUFABRIC-STORAGE-LOSSY",
        "service-policy type queuing output GPUFABRIC-STORAGE-LOSSY-OUT",
    },
    "nvue": {
        'qos / pfc / profile: "GPUFABRIC-STORAGE-LOSSY"',
        'qos / egress-scheduler / profile: "GPUFABRIC-STORAGE-LOSSY"',
        'qos / congestion-control / profile: "GPUFABRIC-STORAGE-LOSSY"',
    },
}


@pytest.mark.parametrize("os", ONE_OF_EACH)
def test_what_a_lossy_port_says_of_queues_is_just_this(os: str) -> None:
    lines = port_lines(ONE_OF_EACH[os], storage_port(ONE_OF_EACH[os]))
    words = ("qos", "priority-flow-control", "service-p")
    assert {line for line in lines if line.startswith(words)} == LOSSY_PORT[os]


@SYSTEMS
def test_profiles_are_the_switchs_and_which_port_carries_one_is_its_planes(device: str) -> None:
    tree, claims = whole(device).tree, whole(device).claims
    owners = split(tree, whole(device).platform.ownership, claims)
    named = {
        owner: {path[0] for path, node in part.walk() if NAME in " / ".join(path)} for owner, part in owners.items()
    }
    kept = {owner: found for owner, found in named.items() if found}
    ports = kept.pop("storage")
    assert all(each.startswith("interface") for each in ports)
    assert set(kept) == {"switch"}


@SYSTEMS
def test_both_planes_one_by_one_are_what_both_push_together(device: str) -> None:
    tree = whole(device, "compute").tree.copy()
    tree.merge(whole(device, "storage").tree)
    assert tree == whole(device).tree
    for plane in ("compute", "storage"):
        wanted = whole(device, plane)
        assert device_plan(wanted, running_text(whole(device), whole(device).tree)).changes == ()


@SYSTEMS
def test_what_is_rendered_is_read_back_as_both_profiles(device: str) -> None:
    made, each = whole(device), realised(device)
    tree = made.platform.canonical(made.tree)
    read = made.platform.parse(tree, each.capabilities, each.config.name, each.config.model)
    assert (read.config, list(read.remainder.walk())) == (each.config, [])


@SYSTEMS
@pytest.mark.parametrize("plane", ["compute", "storage"])
def test_what_one_plane_pushes_is_read_back_whole_as_well(device: str, plane: str) -> None:
    made, each = whole(device, plane), realised(device)
    tree = made.platform.canonical(made.tree)
    read = made.platform.parse(tree, each.capabilities, each.config.name, each.config.model)
    assert list(read.remainder.walk()) == []
    assert read.config.qos == qos_of(device)


@SYSTEMS
def test_every_line_that_is_lost_or_changed_is_seen(device: str, figure) -> None:
    everything, port = whole(device), storage_port(device)
    mine = [
        path for path, node in everything.tree.walk() if not node and ("GPUFABRIC" in str(path) or port in path[1:])
    ]
    mine += [path for path, node in everything.tree.walk() if not node and port in path[0]]
    counts = [each_change_is_reported(everything, path) for path in mine]
    lost, changed = map(sum, zip(*counts, strict=True))
    figure(f"{device}: {lost} lines of two profiles lost, {changed} changed, each seen")
    assert lost > 25


@SYSTEMS
def test_a_deleted_line_of_a_profile_is_never_read_as_the_same_configuration(device: str) -> None:
    made, each = whole(device), realised(device)
    tree, silent = made.platform.canonical(made.tree), []
    for path, node in list(tree.walk()):
        if node or NAME not in " / ".join(path):
            continue
        lost = tree.copy()
        del lost.get(*path[:-1]).children[path[-1]]  # type: ignore[union-attr]
        read = made.platform.parse(lost, each.capabilities, each.config.name, each.config.model)
        if read.config == each.config and not read.remainder:
            silent.append(path)
    # taken for granted: on EOS queues are strict, with RoCE queue 6 is and no other, and what is left out does not mark
    taken = {"priority strict", 'mode: "strict"', 'mode: "dwrr"', 'ecn: "disable"'}
    assert {path[-1] for path in silent} <= taken


@SYSTEMS
@pytest.mark.parametrize("own", [None, LOSSY], ids=["one profile", "two profiles"])
def test_a_fabric_without_lossless_classes_pauses_nowhere_and_is_read_back_so(device: str, own) -> None:
    site = network(own)
    drops = tuple(replace(each, lossless=False) for each in SHARED)
    fabric = replace(site.fabrics["compute"], classes=drops)
    each = device_config(replace(site, fabrics={"compute": fabric}), site.device(device), among=toys.with_kind())
    made = wanted_of(each)
    assert each.config.qos is not None
    assert each.config.qos.watchdog is None
    assert not any(profile.pfc_priorities or profile.watchdog for profile in each.config.qos.profiles)
    tree = made.platform.canonical(made.tree)
    read = made.platform.parse(tree, each.capabilities, each.config.name, each.config.model)
    assert (read.config, list(read.remainder.walk())) == (each.config, [])


# ---------------------------------------------------------------- what is refused


def refused(own: tuple[ClassPolicy, ...], **knobs: str) -> list[Problem]:
    """What a switch says to a profile; ``knobs``: scope of each, per port if it is not said."""
    each = realised("leaf-g1-r0")
    scopes = dict.fromkeys((PAUSE, WEIGHT, MARKS, NO_DROP), "port") | {
        key.replace("_", " "): v for key, v in knobs.items()
    }
    table = {name: Knob(scope, f"line of {name}", "test") for name, scope in scopes.items()}  # type: ignore[arg-type]
    capabilities = replace(each.capabilities, knobs=table)
    return list(profiles_of(PartialConfig(classes=SHARED, profiles={PROFILE: ProfilePolicy(own)}), capabilities))


def profiles_of(config: PartialConfig, capabilities: Capabilities) -> list[Problem]:
    return list(PortProfiles(config, capabilities, "leaf-1", "EOS on Tomahawk 4", lambda *_: None).problems())


def with_class(number: int, **changes: object) -> tuple[ClassPolicy, ...]:
    return (*LOSSY[:number], replace(LOSSY[number], **changes), *LOSSY[number + 1 :])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (with_class(1, dscp=(20,)), "class storage has another dscp"),
        (with_class(1, priority=4), "class storage has another priority"),
        (with_class(3, strict=False, weight_percent=5), "class cnp has another strict"),
        (with_class(1, lossless=True), "class storage is lossless here and not on links between switches"),
    ],
)
def test_what_packets_of_all_planes_share_cannot_be_a_profiles_own(own: tuple[ClassPolicy, ...], words: str) -> None:
    found = [each for each in refused(own) if words in each.what]
    assert len(found) == 1
    assert found[0].where == "leaf-1 profile storage-lossy"
    assert "a fabric of its own" in found[0].hint


def test_a_profile_that_leaves_a_class_out_is_refused_with_both_lists() -> None:
    (problem,) = refused(LOSSY[:3])
    assert (problem.expected, problem.found) == ("bulk, storage, roce, cnp", "bulk, storage, roce")


@pytest.mark.parametrize(
    ("knob", "classes"), [(PAUSE, {"roce"}), (WEIGHT, {"bulk", "storage", "roce"}), (MARKS, {"storage", "roce"})]
)
def test_what_a_system_has_once_is_refused_by_its_name_with_its_line_and_what_ports_may_differ_in(
    knob, classes
) -> None:
    problems = refused(LOSSY, **{knob: "switch"})
    assert {each.what for each in problems} == {
        f"class {name} wants a {knob} of its own, which is once for all ports on EOS on Tomahawk 4" for name in classes
    }
    others = [each for each in (PAUSE, WEIGHT, MARKS) if each != knob]
    assert {each.hint for each in problems} == {
        f"line of {knob}: ports may differ in {', '.join(others)}; else give the plane a fabric of its own"
    }


def test_some_of_the_classes_that_a_whole_switch_never_drops_cannot_be_paused_alone() -> None:
    both = (SHARED[0], replace(SHARED[1], lossless=True), *SHARED[2:])
    config = PartialConfig(classes=both, profiles={PROFILE: ProfilePolicy(with_class(1, lossless=True))})
    nxos = realised(ONE_OF_EACH["nxos"]).capabilities
    (problem,) = profiles_of(config, nxos)
    assert problem.what.startswith("some of the no-drop classes only")
    assert (problem.expected, problem.found) == ("storage, roce, or none of them", "storage")
    assert "type network-qos" in problem.hint
    assert profiles_of(config, realised(ONE_OF_EACH["eos"]).capabilities) == []


def test_every_record_says_of_every_knob_where_it_is_and_by_which_source() -> None:
    for name, platform in platforms().items():
        for release in platform.facts.releases:
            for device in (each for each in network().devices if each.os == name):
                known = platform.facts.capabilities(release, device.asic)
                assert set(known.knobs) == {PAUSE, WEIGHT, MARKS, NO_DROP}, (name, release)
                assert all(each.line and each.source for each in known.knobs.values())


def test_a_port_whose_profile_nobody_describes_is_refused() -> None:
    site = network()
    storage = replace(site.planes["storage"], classes=None)
    site = replace(site, planes={**site.planes, "storage": storage})
    with pytest.raises(DesignError) as caught:
        device_config(site, site.device("leaf-g1-r0"), among=toys.with_kind())
    (problem,) = caught.value.problems
    assert problem.where == f"leaf-g1-r0 {storage_port('leaf-g1-r0')}"
    assert (problem.expected, problem.found) == (FABRIC_PROFILE, PROFILE)


def test_two_planes_that_describe_one_profile_otherwise_are_named_both() -> None:
    planes = [
        toys.owner(replace(network().planes["storage"], name=name), network().fabrics["compute"]) for name in "ab"
    ]
    parts = [PartialConfig(profiles={PROFILE: ProfilePolicy(each)}) for each in (LOSSY, SHARED)]
    with pytest.raises(DesignError) as caught:
        merge("leaf", [Contribution(owner, "leaf", part) for owner, part in zip(planes, parts, strict=True)])
    (problem,) = caught.value.problems
    assert problem.where == "leaf profiles.storage-lossy.classes"
    assert problem.what == "plane a and plane b want different things"


def test_without_a_profile_of_its_own_a_plane_changes_nothing_of_the_queues() -> None:
    qos: Qos = qos_of("leaf-g1-r0", None)
    assert [each.name for each in qos.profiles] == ["GPUFABRIC-ROCE"]


def test_a_policy_that_nxos_gets_later_stands_behind_the_classes_it_names_whatever_was_printed_before_them() -> None:
    device = ONE_OF_EACH["nxos"]
    before, after = realised(device, None), whole(device)
    os = after.platform
    start = wanted_of(before)
    text = "aaa group server tacacs+ SITE\n" + os.to_text(
        start.tree
    )  # of a kind that is printed behind policies as well
    plan = device_plan(after, text)
    rows = os.candidate(plan.running, plan.owned_before, after.tree).payload.splitlines()
    (new,) = (number for number, row in enumerate(rows) if row == f"policy-map type qos {NAME}")
    assert (
        max(number for number, row in enumerate(rows) if row.startswith("class-map ")) < new < rows.index("system qos")
    )

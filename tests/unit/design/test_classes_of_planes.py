"""What links between switches and ports do with traffic classes where planes on one fabric have their own."""

from dataclasses import replace
from typing import Any

import pytest
import yaml

from nornir_tasks.design.capacity.profile_limits import check_profiles
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.choices import Choice, choose
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.demand.qos import on_links, on_ports
from nornir_tasks.design.model.capabilities import MARKS, PAUSE, WEIGHT, Capabilities, OsFacts
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE
from nornir_tasks.design.pipeline import design, device_config
from nornir_tasks.errors import DesignError, IntentError, Problem
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.core.findings import Marks
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.settings import Terms
from nornir_tasks.platforms import platforms
from tests.lab.line_shapes import ROOT

POLICY: dict[str, dict[str, Any]] = {
    "roce": {"dscp": 26, "priority": 3, "lossless": True, "ecn": "auto", "weight": 50},
    "storage": {"dscp": 18, "priority": 2, "ecn": "auto", "weight": 20},
    "cnp": {"dscp": 48, "priority": 6, "strict": True},
    "bulk": {"dscp": 0, "priority": 0, "weight": 30},
}
LOSSY = {
    **POLICY,
    "roce": {"dscp": 26, "priority": 3, "weight": 5},
    "storage": {**POLICY["storage"], "weight": 70},
    "bulk": {**POLICY["bulk"], "weight": 25},
}


def intent(tmp_path: Any, policy: dict[str, dict[str, Any]] = POLICY, **own: dict[str, dict[str, Any]]) -> Intent:
    """The lab's, with storage on compute's fabric; ``own``: classes of a plane's own."""
    data: dict[str, Any] = yaml.safe_load((ROOT / "inventory" / "lab-rails" / "fabric.yml").read_text(encoding="utf-8"))
    data["policy"]["classes"] = policy
    data["planes"]["storage"] = {"fabric": "compute", "kind": "compute", "pools": {"hosts": "10.32.0.0/16"}}
    places = [f"0000:01:{number}.0" for number in range(10, 18)]
    data["hosts"]["gpu"]["nics"]["storage"] = {"rails": 8, "speed": "200G", "port_names": "store", "at": places}
    data["management"]["source"] = "lab"
    for plane, classes in own.items():
        data["planes"][plane]["classes"] = classes
    file = tmp_path / "fabric.yml"
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return load_intent(file)


def terms(site: Intent) -> list[Terms]:
    return [Terms(site.policy, "compute", site.fabrics["compute"], name, each) for name, each in site.planes.items()]


def test_planes_that_agree_have_the_profile_of_links_between_switches(tmp_path) -> None:
    both = terms(intent(tmp_path))
    links = on_links(both)
    assert [each.name for each in links] == ["bulk", "storage", "roce", "cnp"]
    assert [on_ports(each, links) for each in both] == [(FABRIC_PROFILE, None)] * 2


def test_a_plane_with_classes_of_its_own_has_a_profile_of_its_own_and_links_go_by_the_policy(tmp_path) -> None:
    compute, storage = terms(intent(tmp_path, storage=LOSSY))
    links = on_links([compute, storage])
    assert [(each.name, each.lossless, each.weight_percent) for each in links if not each.strict] == [
        ("bulk", False, 30),
        ("storage", False, 20),
        ("roce", True, 50),
    ]
    assert on_ports(compute, links) == (FABRIC_PROFILE, None)
    name, own = on_ports(storage, links)
    assert (name, own and [each.weight_percent for each in own]) == ("storage-lossy", [25, 70, 5, None])


def test_planes_that_have_the_same_of_their_own_need_no_policy(tmp_path) -> None:
    both = terms(intent(tmp_path, storage=LOSSY, compute=LOSSY))
    links = on_links(both)
    assert not any(each.lossless for each in links)
    assert [on_ports(each, links) for each in both] == [(FABRIC_PROFILE, None)] * 2


def test_a_plane_that_is_alone_on_its_fabric_may_have_whatever_classes(tmp_path) -> None:
    _, storage = terms(intent(tmp_path, storage=LOSSY))
    assert on_ports(storage, on_links([storage])) == (FABRIC_PROFILE, None)


@pytest.mark.parametrize(
    ("changes", "where", "found", "expected"),
    [
        ({"roce": {"dscp": 24}}, "planes.storage.classes.roce.dscp", "24", "26"),
        ({"storage": {"priority": 4}}, "planes.storage.classes.storage.priority", "4", "2"),
        ({"storage": {"lossless": True}}, "planes.storage.classes.storage.lossless", "true", "policy.classes.storage"),
    ],
)
def test_what_packets_on_shared_links_cannot_have_twice_is_refused_at_both_places(
    tmp_path, changes, where, found, expected
) -> None:
    own = {name: {**each, **changes.get(name, {})} for name, each in LOSSY.items()}
    with pytest.raises(IntentError) as caught:
        intent(tmp_path, storage=own)
    (problem,) = caught.value.problems
    assert problem.what.startswith(f"{where}: ")
    assert "fabric.yml:" in problem.where
    assert problem.found.startswith(f"{found}; see policy.classes.")
    assert problem.expected.startswith(expected)
    assert "in line" in problem.found


# ---------------------------------------------------------------- what systems have once


def switches(site: Intent, catalogue: Catalogue, facts: dict[str, OsFacts]) -> list[Choice]:
    first = demands(replace_planes(site), kinds().planes)[0]
    return list(choose(first, catalogue, facts, site.marks, site.allow_memory).all)


def replace_planes(site: Intent) -> Intent:
    """With compute alone: which switches there are does not depend on the planes."""
    group = site.hosts["gpu"]
    alone = group.model_copy(update={"nics": {"compute": group.nics["compute"]}})
    return site.model_copy(update={"planes": {"compute": site.planes["compute"]}, "hosts": {"gpu": alone}})


def refused(site: Intent, change: Any = lambda known: known) -> list[Problem]:
    facts = {name: each.facts for name, each in platforms().items()}
    found = switches(site, load_catalogue(), facts)
    changed = [replace(each, capabilities=change(each.capabilities)) for each in found]
    try:
        check_profiles(terms(site), changed, site.marks or Marks())
    except DesignError as error:
        return list(error.problems)
    return []


def test_all_switches_of_the_lab_can_lose_packets_on_some_ports_and_pause_on_others(tmp_path) -> None:
    assert refused(intent(tmp_path, storage=LOSSY)) == []


@pytest.mark.parametrize(("knob", "key"), [(PAUSE, "lossless"), (WEIGHT, "weight"), (MARKS, "ecn")])
def test_what_a_switch_has_once_is_refused_at_both_places_by_its_name_and_with_what_it_can(tmp_path, knob, key) -> None:
    def once(known: Capabilities) -> Capabilities:
        return replace(known, knobs={**known.knobs, knob: replace(known.knobs[knob], scope="switch")})

    problems = refused(intent(tmp_path, storage=LOSSY), once)
    assert problems
    for each in problems:
        path, _, _ = each.what.partition(": ")
        assert path.startswith("planes.storage.classes.")
        assert path.endswith(key)
        assert f"has the {knob} of a class once for all ports (" in each.what
        assert "see policy.classes." in each.found
        assert "on fabrics of their own" in each.hint
        assert key not in each.hint


def test_lossless_classes_of_several_planes_count_together_on_their_links(tmp_path) -> None:
    policy = {name: {**each, "lossless": name in ("roce", "storage")} for name, each in POLICY.items()}
    own = {
        name: {kept: {**each, "lossless": kept == lossless} for kept, each in POLICY.items()}
        for name, lossless in (("compute", "roce"), ("storage", "storage"))
    }
    site = intent(tmp_path, policy, **own)
    problems = refused(site)
    assert problems
    place = "policy.classes.storage.lossless"
    assert {each.what.partition(", where ")[0] for each in problems} == {
        f"{place}: 2 lossless classes on links of several planes"
    }


# ---------------------------------------------------------------- from the intent to switches and hosts


def test_a_lossy_plane_on_leaves_of_its_own_shares_lossless_links_with_the_others(tmp_path) -> None:
    network = design(
        intent(tmp_path, storage=LOSSY), load_catalogue(), {n: each.facts for n, each in platforms().items()}
    )
    assert (network.planes["compute"].profile, network.planes["storage"].profile) == (FABRIC_PROFILE, "storage-lossy")
    judged = set()
    for device in network.devices:
        each = device_config(network, device)
        assert each.config.qos is not None
        profiles = {profile.name: profile for profile in each.config.qos.profiles}
        for circuit in network.circuits_of(device.name):
            port = next(one for one in each.config.interfaces if one.name == circuit.link.end(device.name).port)
            paused = profiles[str(port.qos_profile)].pfc_priorities
            assert paused == (() if circuit.owner == "storage" else (3,)), (device.name, port.name)
            judged.add((circuit.owner, device.os))
    assert {owner for owner, _ in judged} == {"compute", "storage", "fabric compute"}

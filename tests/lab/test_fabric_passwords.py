"""Sessions of a fabric that a secret signs: leaf to spine, spine to core, between members of pairs; on all systems."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from netutils.password import decrypt_cisco_type7

from nornir_tasks.deploy.signed_anew import signed_anew
from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.pipeline import Realised, device_configs
from nornir_tasks.errors import IntentError
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.core.secret_name import placeholder
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.platforms.nxos.passwords import known_by, stored
from nornir_tasks.proofs.unsure import Seen, unsure
from nornir_tasks.usecases.secrets import vault_of
from nornir_tasks.usecases.site import SiteDesign, load
from switch_twins.routed.startup import routing_of
from switch_twins.server import LabServer
from tests.lab.loaded_twins import loaded, with_values
from tests.lab.pushes import bare_like, push
from tests.property.mutants import each_change_is_reported
from tests.unit.design import front

SITES = Path(__file__).parents[1] / "sites"
NAME, PASSWORD = "between-switches", "Zq7-right"
PLANES = ("storage", "business")


def site_of(folder: Path, text: str, *, signed: bool = True) -> SiteDesign:
    """A site of one fabric or several, whose sessions a secret signs."""
    data = yaml.safe_load(text)
    folder.mkdir(exist_ok=True)
    made = yaml.safe_dump(data, sort_keys=False)
    if signed:
        for fabric in data["fabrics"].values():
            fabric.setdefault("routing", {})["password"] = "SECRET"
        made = yaml.safe_dump(data, sort_keys=False).replace("password: SECRET", f"password: !secret {NAME}")
    (folder / "fabric.yml").write_text(made, encoding="utf-8")
    return load(str(folder))


def switches(design: SiteDesign) -> list[Realised]:
    return list(device_configs(design.network))


def passwords(switch: DeviceConfig) -> set[str | None]:
    assert switch.bgp is not None
    used = {each.peer_group for each in switch.bgp.neighbors}
    return {each.password for each in switch.bgp.peer_groups if each.name in used}


@pytest.mark.parametrize("text", [front.SITE, (SITES / "clos3" / "fabric.yml").read_text()], ids=["pairs", "cores"])
def test_all_sessions_of_a_fabric_are_signed_or_none_is(text: str, tmp_path: Path) -> None:
    signed = switches(site_of(tmp_path / "signed", text))
    assert {each for switch in signed for each in passwords(switch.config)} == {placeholder(NAME)}
    plain = switches(site_of(tmp_path / "plain", text, signed=False))
    assert {each for switch in plain for each in passwords(switch.config)} == {None}


@pytest.mark.parametrize("system", ["eos", "nxos", "nvue"])
def test_a_password_that_somebody_took_out_or_changed_comes_back(system: str, tmp_path: Path) -> None:
    made = next(each for each in switches(site_of(tmp_path, front.SITE)) if each.config.os == system)
    here = wanted(made.config, made.capabilities, made.claims, environment(system))
    paths = [path for path in here.tree.paths() if placeholder(NAME) in path[-1]]
    assert len(paths) == 2  # to spines, and to the other member of the pair
    for path in paths:
        assert each_change_is_reported(here, path)[0] == 1
    switch = bare_like(here)
    assert push(switch, here) > 0
    assert push(switch, here) == 0


@pytest.mark.parametrize("system", ["eos", "nxos", "nvue"])
def test_a_push_waits_for_no_session_whose_password_it_changes(system: str, tmp_path: Path) -> None:
    before, after = (
        next(each for each in switches(site_of(tmp_path, front.SITE, signed=signed)) if each.config.os == system)
        for signed in (False, True)
    )
    here = wanted(after.config, after.capabilities, after.claims, environment(system))
    was = wanted(before.config, before.capabilities, before.claims, environment(system))
    assert after.config.bgp is not None
    every = {each.key for each in after.config.bgp.neighbors}
    changes = list(difference(was.tree, here.tree))
    assert signed_anew(after.config, changes) == signed_anew(before.config, difference(here.tree, was.tree)) == every
    assert signed_anew(after.config, [each for each in changes if "PAIR" in str(each)]) < every
    assert signed_anew(after.config, []) == set()


def states(lab: LabServer) -> dict[tuple[str, str], tuple[str, str]]:
    """State and reason of our sessions, by switch and peer; each switch has one of somebody else's, without a group."""

    async def ask() -> dict[tuple[str, str], tuple[str, str]]:  # its clock is the loop's
        found = ((device, each) for device in lab.twins for each in lab.fabric.sessions(device))
        ours = ((device, each) for device, each in found if each.neighbor.peer_group)
        return {(device, each.neighbor.address): (each.state, each.reason) for device, each in ours}

    return asyncio.run(ask())


def by_hand(design: SiteDesign, device: str, secrets: Mapping[str, str]) -> dict[str, str]:
    """What somebody types who gives one switch another password."""
    made = next(each for each in switches(design) if each.config.name == device)
    here = wanted(made.config, made.capabilities, made.claims, environment(made.config.os))
    return {device: with_values(here.text, platform(made.config.os).secrets, secrets)}


@pytest.mark.parametrize("leaf", ["front-leaf-g1-a", "front-leaf-g2-a", "front-leaf-g3-a"])
def test_sessions_are_down_where_one_end_has_another_password(leaf: str, tmp_path: Path) -> None:
    design = site_of(tmp_path / "site", front.SITE)
    alike = states(loaded(design, PLANES, tmp_path / "alike", secrets={NAME: PASSWORD}))
    assert {state for state, _ in alike.values()} == {"established"}
    other = by_hand(design, leaf, {NAME: "Zq7-wrong"})
    found = states(loaded(design, PLANES, tmp_path / "other", other, {NAME: PASSWORD}))
    down = {device for (device, _), (state, _) in found.items() if state != "established"}
    assert down == {leaf, f"{leaf[:-1]}b", *(device for device, _ in found if "spine" in device)}
    assert {reason for (device, _), (_, reason) in found.items() if device == leaf} == {
        "both ends use passwords, and other ones"
    }


def test_the_routed_lab_is_told_the_password_itself_whatever_a_switch_makes_of_it(tmp_path: Path) -> None:
    design = site_of(tmp_path / "site", front.SITE)
    lab = loaded(design, PLANES, tmp_path / "lab", secrets={NAME: PASSWORD})
    for twin in lab.twins.values():
        found = routing_of(twin, has_devices=True)
        assert found.refused == (), twin.name
        assert {each.password for each in found.peers.values()} == {PASSWORD}, twin.name


@pytest.mark.parametrize("device", ["front-leaf-g1-a", "front-leaf-g2-b", "front-leaf-g3-a", "front-spine-1"])
def test_prove_names_sessions_whose_ends_have_other_secrets(device: str, tmp_path: Path) -> None:
    design = site_of(tmp_path, front.SITE)
    configs = {each.config.name: each.config for each in switches(design)}

    def reasons(password: str | None) -> Mapping[str, tuple[str, ...]]:
        bgp = configs[device].bgp
        assert bgp is not None
        groups = tuple(replace(each, password=password) for each in bgp.peer_groups)
        changed = configs | {device: replace(configs[device], bgp=replace(bgp, peer_groups=groups))}
        seen = {name: Seen(each, ()) for name, each in changed.items()}
        return unsure(design.network, configs, seen, platforms(), {}).reasons

    assert reasons(placeholder(NAME)) == {}
    for other in (placeholder("another"), None, "<hidden:0123456789abcdef>"):
        found = reasons(other)
        assert all("does not come up" in each for each in found[device])
        assert len(found[device]) == len(configs[device].bgp.neighbors)  # type: ignore[union-attr]
    assert reasons("<hidden>") == {}  # of a switch that does not show it: taken for what was sent last


@pytest.mark.parametrize("password", ["a", PASSWORD, "x" * 80])
def test_netutils_reads_what_nxos_is_told(password: str) -> None:
    text = stored("password 7", password)
    assert decrypt_cisco_type7(text) == password
    assert known_by("password 7", text) == known_by("password 7", text.lower()) == password
    assert stored("username x password 5", "$5$hash") == known_by("username x password 5", "$5$hash") == "$5$hash"


@pytest.mark.parametrize("value", ["", "with a space", "x" * 81])
def test_a_secret_that_is_no_password_is_refused_by_place_and_not_repeated(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = site_of(tmp_path, front.SITE)
    monkeypatch.setenv("GPUFABRIC_SECRET_BETWEEN_SWITCHES", value)
    with pytest.raises(IntentError) as refused:
        vault_of(design, list(PLANES))
    assert all("fabric.yml:" in problem.where for problem in refused.value.problems)
    assert not value or value not in str(refused.value)
    monkeypatch.setenv("GPUFABRIC_SECRET_BETWEEN_SWITCHES", PASSWORD)
    assert vault_of(design, list(PLANES)).value(NAME) == PASSWORD

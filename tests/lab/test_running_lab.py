"""A lab that was exported, running: it has what was pushed, notices a broken cable, and is whole when that is mended.

Without options the lab is on this machine: nodes of FRR as network namespaces, and for the vendors' images the switches
of the built-in lab, known by their device list and pinned certificates alone. ``running_lab.py`` says how to run the
same tests against a containerlab.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from at_terminal import ROOT, Operator, small_site
from containers import containers, short_folder
from needs import require
from routed_lab import until
from running_lab import (
    ROUTES_TIMEOUT_S,
    Cable,
    Export,
    InContainers,
    InNamespaces,
    Nodes,
    container,
    fabric_cable,
    run,
    running_export,
    site_folder,
)

BOOT_TIMEOUT_S = 900.0
"""A Nexus 9000v needs some ten minutes."""
CHECKS = {"bgp", "ecmp"}
"""What must pass in every lab. A real image may fail others: it has no queues, and hosts announce nothing."""


# -- FRR, SONiC-VS: no device list, routes are looked at in the kernel -------------------------------------------------


class Routed(NamedTuple):
    operator: Operator
    """Of the built-in lab that was exported."""
    nodes: Nodes


@pytest.fixture(scope="module")
def routed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Routed]:
    export = running_export(request.config)
    if export is not None:
        if not export.is_routed_alone:
            pytest.skip("this containerlab has the vendors' images")
        yield Routed(Operator(site_folder(request.config), _state()), InContainers(export))
        return
    require("root")
    where = tmp_path_factory.mktemp("exported")
    shutil.copytree(ROOT / "inventory/lab-rails", where / "lab-rails")
    operator, folder = Operator(where / "lab-rails", where / "state"), where / "clab"
    try:
        operator.run("lab", "up")
        operator.run("push", "--yes")
        operator.run("lab", "export", "--containerlab", str(folder), "--frr")
        with short_folder() as sockets, containers(folder, sockets) as made:
            yield Routed(operator, InNamespaces(Export(folder), made))
    finally:
        operator.run("lab", "down")


def _state() -> Path:
    """Where verbs keep their state unless they are told otherwise."""
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local/state")
    return Path(os.environ.get("GPUFABRIC_STATE") or f"{home}/gpufabric")


def assert_routes(routed: Routed) -> int:
    """Every kernel has the next hops that the built-in lab computes; how many."""
    count = 0
    for switch in routed.nodes.export.switches:
        rib = routed.operator.control.ask("rib", device=switch)
        wanted = {
            prefix: {routed.nodes.export.in_node(switch, port) for _, port in route["next_hops"]}
            for prefix, route in rib.items()
            if route["protocol"] == "bgp"
        }
        assert wanted, switch
        assert routed.nodes.routes(switch) == wanted, switch
        count += sum(map(len, wanted.values()))
    return count


def test_every_node_has_the_next_hops_of_the_lab_also_without_a_cable(
    routed: Routed, figure: Callable[[str], None]
) -> None:
    until(lambda: bool(assert_routes(routed)), timeout_s=ROUTES_TIMEOUT_S)
    whole = assert_routes(routed)
    cable = fabric_cable(routed.operator, routed.nodes.export)
    routed.operator.run("lab", "cut", cable.name)
    try:
        routed.nodes.shut(*cable.lower)
        until(lambda: bool(assert_routes(routed)), timeout_s=ROUTES_TIMEOUT_S)
        assert assert_routes(routed) < whole
    finally:
        routed.operator.run("lab", "mend")
        routed.nodes.open(*cable.lower)
    until(lambda: bool(assert_routes(routed)), timeout_s=ROUTES_TIMEOUT_S)
    figure(f"{len(routed.nodes.export.switches)} nodes, {whole} next hops as in the lab, fewer without {cable.name}")


# -- the vendors' images: verbs reach them by devices.yml -----------------------------------------------------------


class Listed(NamedTuple):
    operator: Operator
    """Of the site with the exported device list."""
    cable: Cable
    breaks: Callable[[Cable], None]
    mends: Callable[[Cable], None]


@pytest.fixture(scope="module")
def listed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listed]:
    export, where = running_export(request.config), tmp_path_factory.mktemp("listed")
    if export is not None:
        if export.is_routed_alone:
            pytest.skip("the switches of this containerlab have no API: they are FRR")
        operator = of_real_switches(site_folder(request.config), where)
        shutil.copy(export.folder / "devices.yml", operator.site)
        known_hosts = export.folder / "known_hosts"
        if known_hosts.exists():
            shutil.copy(known_hosts, operator.site)
        # they may be booting still
        until(lambda: trust(operator, export.switches), timeout_s=BOOT_TIMEOUT_S)
        yield Listed(
            operator, fabric_cable(operator, export), lambda at: lose(export, at, 100), lambda at: lose(export, at, 0)
        )
        return
    lab = small_site(where)
    lab.start()
    try:
        operator = of_real_switches(lab.site, where)
        folder = where / "clab"
        operator.run("lab", "export", "--containerlab", str(folder))
        at_labs_addresses(operator, folder / "devices.yml", lab)
        made = Export(folder)
        trust(operator, made.switches)
        cable = fabric_cable(operator, made)
        yield Listed(operator, cable, lambda at: _ran(lab, "cut", at.name), lambda at: _ran(lab, "mend", at.name))
    finally:
        lab.run("lab", "down")


def _ran(lab: Operator, *words: str) -> None:
    lab.run("lab", *words)


def of_real_switches(site: Path, where: Path) -> Operator:
    """A copy of a site that takes its switches from a device list."""
    shutil.copytree(site, where / "real")
    file = where / "real/fabric.yml"
    file.write_text(file.read_text().replace("source: lab", "source: devices"))
    return Operator(where / "real", where / "state-of-real")


def at_labs_addresses(operator: Operator, exported: Path, lab: Operator) -> None:
    """The exported device list, but where the built-in lab's switches listen."""
    document = yaml.load(exported.read_text(), Loader=Named)
    there = yaml.load((lab.lab / "devices.yml").read_text(), Loader=Named)
    for name, entry in document["devices"].items():
        known = there["devices"][name]
        entry |= {key: known[key] for key in ("address", "api_port", "ssh_port") if key in known}
    shutil.copy(lab.lab / there["known_hosts"], operator.site / "known_hosts")
    secrets = operator.site / ".secrets"
    secrets.mkdir(mode=0o700)
    shutil.copy(lab.lab / ".secrets" / there["password"], secrets / document["password"])
    lines = [f"username: {there['username']}", f"password: !secret {document['password']}", "known_hosts: known_hosts"]
    devices = yaml.safe_dump({"devices": document["devices"]})
    (operator.site / "devices.yml").write_text("\n".join([*lines, devices]))


class Named(yaml.SafeLoader):
    """A secret is its name."""


Named.add_constructor("!secret", lambda loader, node: loader.construct_scalar(node))  # type: ignore[arg-type]


def trust(operator: Operator, switches: list[str]) -> None:
    for each in switches:
        operator.run("trust", each, "--yes")


def lose(export: Export, cable: Cable, percent: int) -> None:
    """Have both ends of a cable lose what they send (docs/cmd/tools/netem of containerlab)."""
    for device, port in (cable.upper, cable.lower):
        end = ("--node", container(export, device), "--interface", export.cabled(device, port))
        run("containerlab", "tools", "netem", "set", *end, "--loss", str(percent))


def judged(operator: Operator) -> list[dict[str, Any]]:
    """What validate says of sessions and routes. Other checks may fail on an image: the exit code says nothing here."""
    words = ("validate", "--json", "--all")
    process = operator.begin(*words)
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode in (0, 8), stderr
    report = yaml.safe_load(stdout)
    return [each for each in report["findings"] if each["check"] in CHECKS]


def assert_passed(operator: Operator) -> int:
    """Every session and route is as wanted; how many findings say so."""
    found = judged(operator)
    assert found
    assert [each["message"] for each in found if each["verdict"] != "pass"] == []
    return len(found)


def test_a_push_by_the_exported_device_list_is_whole_and_the_second_changes_nothing(listed: Listed) -> None:
    count = len(yaml.load((listed.operator.site / "devices.yml").read_text(), Loader=Named)["devices"])
    listed.operator.run("push", "--yes")
    assert f"0 of {count} changed" in listed.operator.run("push", "--yes")


def test_a_broken_cable_is_named_by_validate_and_forgotten_when_it_is_mended(
    listed: Listed, figure: Callable[[str], None]
) -> None:
    def assert_named() -> None:
        failed = {each["device"] for each in judged(listed.operator) if each["verdict"] == "fail"}
        assert failed >= {listed.cable.upper[0], listed.cable.lower[0]}

    listed.operator.run("push", "--yes")
    until(lambda: bool(assert_passed(listed.operator)), timeout_s=ROUTES_TIMEOUT_S)
    listed.breaks(listed.cable)
    try:
        until(assert_named, timeout_s=ROUTES_TIMEOUT_S)
    finally:
        listed.mends(listed.cable)
    found: list[int] = []
    until(lambda: found.append(assert_passed(listed.operator)), timeout_s=ROUTES_TIMEOUT_S)
    figure(f"by an exported devices.yml: {found[0]} findings on sessions and routes pass, also after a broken cable")

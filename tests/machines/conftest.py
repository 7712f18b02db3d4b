"""Machines for tests: as many as a module's ``HOSTS`` says, up for the whole module, gone afterwards.

They are those of the lab's site, or of what a module's ``SITE`` makes of a copy of it. Where a module says ``ROUTED``,
they are cabled into a routed lab, to which the intent is pushed.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lab_machines import BARE, CONFIGURED, EXTRA, BroughtUp, MachineLab
from needs import require

from nornir_tasks.errors import LabError
from nornir_tasks.lab.machines.requirements import check_requirements


@pytest.fixture(scope="module")
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MachineLab]:
    """A lab with machines, each saved as it came up. Fails, in one line, where a package is missing."""
    require("root")
    try:
        check_requirements()
    except LabError as error:
        pytest.fail(str(error), pytrace=False)
    hosts: int = request.module.HOSTS
    made = MachineLab(tmp_path_factory.mktemp("machines"), getattr(request.module, "SITE", None))
    try:
        if getattr(request.module, "ROUTED", False):
            made.up(hosts, "--routed")
            pushed = made.nornir("push", "--yes")
            assert pushed.returncode == 0, pushed.stdout + pushed.stderr
        else:
            made.up(hosts)
        for name in made.machines.names():
            made.save(name, BARE)
        yield made
    finally:
        made.down()


@pytest.fixture
def bare_to_read(lab: MachineLab) -> MachineLab:
    """The same with every machine as it came up, for a test that leaves it so."""
    for name in lab.machines.names():
        lab.load(name, BARE)
    return lab


@pytest.fixture
def bare(bare_to_read: MachineLab) -> MachineLab:
    """The same with every machine as it came up."""
    bare_to_read.at.clear()
    return bare_to_read


@pytest.fixture(scope="module")
def brought_up(lab: MachineLab, request: pytest.FixtureRequest) -> BroughtUp:
    """site.yml twice on the machines as they came up, with a module's ``VARIABLES``; the state after it is saved."""
    variables: tuple[str, ...] = getattr(request.module, "VARIABLES", EXTRA)
    for name in lab.machines.names():
        lab.load(name, BARE)
    runs = BroughtUp(lab.playbook(*variables), lab.playbook(*variables))
    for name in lab.machines.names():
        lab.save(name, CONFIGURED)
    return runs


@pytest.fixture
def configured_to_read(lab: MachineLab, brought_up: BroughtUp) -> MachineLab:
    """The lab with every machine as site.yml left it, for a test that leaves it so."""
    for name in lab.machines.names():
        assert not brought_up.first.failures(name), brought_up.first.failures(name)
        lab.load(name, CONFIGURED)
    return lab


@pytest.fixture
def configured(configured_to_read: MachineLab) -> MachineLab:
    """The lab with every machine as site.yml left it."""
    configured_to_read.at.clear()
    return configured_to_read

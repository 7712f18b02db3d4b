"""Whatever site is begun: it is designed as it was asked for, or refused in words that say what to change."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.errors import DesignError, IntentError
from nornir_tasks.files import starter
from nornir_tasks.platforms import names
from nornir_tasks.usecases.site import load, select
from nornir_tasks.usecases.start.answers import Answers, Model
from nornir_tasks.usecases.start.create import from_answers

PLANES = tuple(starter.offer().planes)
SMALL, LARGE = 100, 1024


def begins(answers: Answers) -> None:
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "dc1"
        try:
            made = from_answers(site, answers, "github")
        except (DesignError, IntentError) as error:
            assert not site.exists()
            assert all("--" in f"{each.where} {each.hint}" for each in error.problems), str(error)
            assert folder not in str(error)
            return
        design = load(site)
        select(design)
        network = design.network
        assert made.switches == len(network.devices)
        gpus = [host for host in network.hosts if host.startswith("gpu-")]
        assert len(gpus) == answers.hosts
        if "compute" in answers.planes:
            found = design_counts(network)["planes"]["compute"]
            assert found["host_links"] == answers.hosts * answers.nics
            ports = [each for each in network.links if each.kind == "host" and each.fabric == "compute"]
            assert {each.speed_gbps for each in ports} == {answers.speed_gbps}
        if answers.leaf.os is not None:
            assert {each.os for each in network.devices} == {answers.leaf.os}
        assert set(network.planes) == set(answers.planes)
        assert design.site.devices is not None
        assert design.site.devices.names() == [each.name for each in network.devices]


def sites(most: int) -> st.SearchStrategy[Answers]:
    models = st.sampled_from([Model(), *(Model(os) for os in names())])
    return st.builds(
        Answers,
        site=st.just("dc1"),
        planes=st.lists(st.sampled_from(PLANES), min_size=1, unique=True).map(tuple),
        hosts=st.integers(4, most),
        nics=st.integers(1, 8),
        speed_gbps=st.sampled_from([100, 200, 400, 800]),
        leaf=models,
        oversubscription=st.sampled_from(["1", "1", "2", "3:1"]),
    )


@settings(max_examples=25, deadline=None)
@given(sites(SMALL))
def test_a_site_is_designed_as_it_was_begun_or_refused_with_what_to_change(answers: Answers) -> None:
    begins(answers)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(sites(LARGE))
def test_the_same_of_a_thousand_hosts(answers: Answers) -> None:
    begins(answers)


@pytest.mark.parametrize("os", names())
@pytest.mark.parametrize("speed_gbps", [100, 200, 400])
def test_every_system_has_switches_for_usual_speeds(os: str, speed_gbps: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        answers = Answers(site="dc1", planes=PLANES, hosts=16, speed_gbps=speed_gbps, leaf=Model(os))
        assert from_answers(Path(folder) / "dc1", answers, None).switches

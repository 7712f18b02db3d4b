"""What is said of a release or a model that is not taken: the ranges truly taken, and which of the two it is."""

from dataclasses import replace

import pytest

from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.pipeline import design
from nornir_tasks.design.reports.unverified_releases import assumed
from nornir_tasks.errors import DesignError, IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

ASICS = {"eos": "tomahawk4", "nxos": "cloudscale-gx2", "nvue": "spectrum4"}


def message_for(catalogue: Catalogue | None = None, **leaf: str) -> str:
    """The message for a site whose leaves are these."""
    facts = {name: each.facts for name, each in platforms().items()}
    with pytest.raises((DesignError, IntentError)) as refused:
        design(intent_of(site(leaf=leaf)), catalogue or load_catalogue(), facts)
    return str(refused.value)


@pytest.mark.parametrize(
    ("platform", "model", "release", "expected"),
    [
        ("eos", "7060DX5-64S", "4.37.0F", "4.32 to 4.36, written as 4.33.1F"),
        ("eos", "7060DX5-64S", "4.31.2F", "4.32 to 4.36, written as 4.33.1F"),
        ("eos", "7060DX5-64S", "4.33", "4.32 to 4.36, written as 4.33.1F"),
        ("nxos", "N9K-C9364D-GX2A", "10.2(7)", "any of 10.3 to 10.6, written as 10.5(3), or a whole train, 10.5(x)"),
        ("nxos", "N9K-C9364D-GX2A", "10.5.3", "any of 10.3 to 10.6, written as 10.5(3), or a whole train, 10.5(x)"),
        ("nvue", "SN5600", "5.12", "5.13 to 5.18, written as 5.14"),
        ("nvue", "SN5600", "5.19", "5.13 to 5.18, written as 5.14"),
    ],
)
def test_a_release_that_is_not_taken_is_told_the_ranges_that_are(
    platform: str, model: str, release: str, expected: str
) -> None:
    message = message_for(platform=platform, model=model, release=release)
    assert f"leaf.release: no capability record for {platform} {release}\n" in message
    assert f"expected: {expected}\n" in message
    assert f"found: {release}\n" in message


@pytest.mark.parametrize(
    ("platform", "release"),
    [
        *(("eos", release) for release in ("4.32.0F", "4.35.2.1M", "4.36.2F")),
        *(("nxos", release) for release in ("10.3(4a)", "10.4(4a)", "10.5(3)", "10.6(2)")),
        *(("nvue", f"5.{minor}") for minor in range(13, 19)),
    ],
)
def test_every_release_of_the_ranges_that_are_told_is_taken(platform: str, release: str) -> None:
    facts = platforms()[platform].facts
    assert facts.takes(release)
    asic = ASICS[platform]
    assert facts.capabilities(release, asic).runs(release)


def test_a_release_that_is_taken_is_never_what_is_wrong() -> None:
    """The ASIC has no record: the model is refused, and no release that would do is asked for."""
    known = load_catalogue()
    unknown = replace(known.switches["N9K-C9332D-GX2B"], asic="")
    models = replace(known, switches=known.switches | {unknown.model: unknown})
    message = message_for(models, platform="nxos", model=unknown.model, release="10.5(3)")
    assert "leaf.model: no capability record for nxos 10.5(3) on an ASIC that no source names\n" in message
    assert "N9K-C9364D-GX2A" in message.partition("expected:")[2].partition("\n")[0]
    assert "found: N9K-C9332D-GX2B\n" in message
    assert "release" not in message.partition("hint:")[2]


@pytest.mark.parametrize(
    ("platform", "release", "model", "missing"),
    [("nxos", "10.5(3)", "N9364E-SG2-O", "Silicon One G200"), ("eos", "4.33.1F", "7388X5", "linecard")],
)
def test_a_model_that_is_not_offered_says_what_has_no_source(
    platform: str, release: str, model: str, missing: str
) -> None:
    message = message_for(platform=platform, model=model, release=release)
    assert f"leaf.model: {model} is not offered\n" in message
    assert missing in message.partition("hint:")[2]


def test_a_switch_may_report_a_build_behind_its_release() -> None:
    record = platforms()["eos"].facts.capabilities("4.34.2F-43232954.4342F.1", "tomahawk4")
    assert record.release == "4.34.2F"
    assert record.runs("4.34.2F-43232954.4342F.1")
    assert not record.runs("4.34.20F")


def test_each_train_has_a_source_and_its_release_a_record_that_says_what_is_assumed_of_it() -> None:
    for os, platform in platforms().items():
        facts = platform.facts
        assert facts.releases == tuple(train.release for train in facts.trains), os
        for train in facts.trains:
            assert len(train.seen) > 20, (os, train.name)
            assert train.release.startswith(train.name)
            assert facts.capabilities(train.release, ASICS[os]).assumed == train.assumed


@pytest.mark.parametrize(
    ("platform", "release", "text"),
    [("eos", "4.35.2F", "BGP"), ("nxos", "10.6(1)", "queuing"), ("nvue", "5.13", "qos roce"), ("eos", "4.36.0F", None)],
)
def test_what_no_source_shows_of_a_release_is_said_of_it(platform: str, release: str, text: str | None) -> None:
    facts = {name: each.facts for name, each in platforms().items()}
    model = {"eos": "7060DX5-64S", "nxos": "N9K-C9364D-GX2A", "nvue": "SN5600"}[platform]
    leaf = {"platform": platform, "release": release, "model": model}
    network = design(intent_of(site(leaf=leaf)), load_catalogue(), facts)
    found = assumed(network)
    assert (f"{platform} {release}" in found) == (text is not None)
    assert text is None or text in found[f"{platform} {release}"]
    assert "nvue 5.14" not in found, "its lines were all seen"


@pytest.mark.parametrize(
    ("release", "has_it"), [("10.3(8)", False), ("10.4(3)", False), ("10.5(3)", True), ("10.6(1)", True)]
)
def test_dynamic_load_balancing_is_offered_from_the_train_on_that_has_it(release: str, has_it: bool) -> None:
    record = platforms()["nxos"].facts.capabilities(release, "cloudscale-gx2")
    assert (record.balancing("flowlet") is not None) == has_it

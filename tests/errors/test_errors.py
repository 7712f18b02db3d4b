"""Golden error messages: what somebody reads who got their intent wrong.

Each folder holds an intent with one mistake (or several) as a patch of a good one (see ``patches.py``), in places a
``devices.yml`` beside it, and the message in ``expected.txt``. A new message needs a case: write the patch and mark the
lines that the message should name; ``pytest tests/errors --update-golden`` writes the message, which you read.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from nornir_tasks.design.model.capabilities import Capabilities, OsFacts
from nornir_tasks.design.pipeline import design
from nornir_tasks.errors import DesignError, GpufabricError, IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.site import load_site
from nornir_tasks.platforms import platforms
from tests.errors.patches import Case, cases, patched
from tests.plain_facts import plain_facts

CASES = list(cases())
BASES = sorted((Path(__file__).parent / "bases").iterdir())
LINE = re.compile(r"fabric\.yml:(\d+)")
NARROW_ECMP = "ecmp_wider_than_the_limit"
NO_EDGE_ROUTER = "edge_of_a_system_that_is_none"


def facts(case: str) -> dict[str, OsFacts]:
    """Plain operating systems; in one case with an ECMP width that a leaf's uplinks exceed, in one without BGP outside.

    What keeps a system from unnumbered links, its VRFs, its headroom, and the ASICs of front switches are its own
    knowledge, so these cases have the real ones.
    """
    own = (
        "unnumbered",
        "vrf",
        "tcam",
        "oob",
        "snmp_where",
        "headroom",
        "lossless_cables",
        "spectrum_x",
        "edge_",
        "switch_names",
        "control_plane_of_fabric",
        "timezone_of",
    )
    if any(word in case for word in own):
        real = {name: each.facts for name, each in platforms().items()}
        return real if case != NO_EDGE_ROUTER else {**real, "nvue": _without_outside(real["nvue"])}
    known = plain_facts()
    if case != NARROW_ECMP:
        return known

    def narrow(release: str, asic: str) -> Capabilities:
        return replace(plain_facts()["eos"].capabilities(release, asic), max_ecmp_paths=8)

    return {**known, "eos": replace(known["eos"], capabilities=narrow)}


def _without_outside(known: OsFacts) -> OsFacts:
    def bare(release: str, asic: str) -> Capabilities:
        return replace(known.capabilities(release, asic), has_outside_bgp=False, outside_gap="no source has its lines")

    return replace(known, capabilities=bare)


def refusal(site: Path) -> GpufabricError:
    """What refuses the case: reading its files, or designing what they ask for."""
    with pytest.raises(GpufabricError) as caught:
        intent = load_site(site).intent if (site / "devices.yml").exists() else load_intent(site / "fabric.yml")
        design(intent, load_catalogue(), facts(site.name))
    return caught.value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_message_says_where_what_and_what_to_do(case: Case, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    site = case.written_to(tmp_path)
    error = refusal(site)
    text = f"exit code {error.exit_code}\n{str(error).replace(f'{site}/', '')}\n"
    golden = case.folder / "expected.txt"
    if request.config.getoption("--update-golden"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    assert type(error) in (IntentError, DesignError)
    assert all(re.search(r"(^|/)(fabric|devices)\.yml:\d+$", problem.where) for problem in error.problems)
    assert case.named is None or case.named == set(map(int, LINE.findall(text))), "lines marked in the patch"


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.stem)
def test_bases_are_sites_without_a_mistake(base: Path) -> None:
    design(load_intent(base), load_catalogue(), {name: each.facts for name, each in platforms().items()})


def test_a_block_that_stands_twice_in_its_base_is_refused() -> None:
    with pytest.raises(ValueError, match=r"2 places in the base have: +design: rail"):
        patched("base: two_fabrics.yml\n@@\n-    design: rail\n")

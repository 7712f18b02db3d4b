"""The laws for links without addresses: every line of the lab's unnumbered site, and larger fabrics made unnumbered."""

from collections.abc import Callable

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from nornir_tasks.usecases.site import load, select
from tests.property.mutants import each_change_is_reported, running_text
from tests.property.test_reference_laws import reads_back
from tests.pushed import pushed
from tests.reference import one_of_each_shape, under

SITE = "lab-unnumbered"
DEVICES = ("leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", DEVICES)
def test_every_line_deleted_or_changed_is_a_difference(device: str, figure: Callable[[str], None]) -> None:
    made = select(load(SITE))[device]
    assert device_plan(made, running_text(made, made.tree)).changes == ()
    counts = [each_change_is_reported(made, path) for path, _ in made.tree.walk()]
    deleted, changed = (sum(column) for column in zip(*counts, strict=True))
    figure(f"{device}: {deleted} lines deleted, {changed} values changed, every one reported")
    assert min(deleted, changed) > 50


def with_addressing(intent: Intent, addressing: str) -> Intent:
    """The same intent with another addressing of links between switches."""
    ((name, fabric),) = intent.fabrics.items()
    routing = fabric.routing.model_copy(update={"addressing": addressing})
    return intent.model_copy(update={"fabrics": {name: fabric.model_copy(update={"routing": routing})}})


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("site", "system"),
    [
        ("ref-512", "nvue-5.14"),
        ("ref-512", "nvue-5.16"),
        ("ref-32768", "nvue-5.16"),
        pytest.param("ref-32768", "nvue-5.14", marks=pytest.mark.long),
    ],
)
def test_a_reference_site_made_unnumbered_reads_back_and_has_no_address_but_its_own_and_its_hosts(
    site: str, system: str
) -> None:
    """The largest at one release; at the other with ``-m long``."""
    intent = under(load_site(site).intent, system)
    unnumbered = with_addressing(intent, "unnumbered")
    fabric = design(unnumbered, load_catalogue(), {name: each.facts for name, each in platforms().items()})
    assert reads_back(one_of_each_shape(fabric)) >= 2
    for circuit in fabric.circuits:
        assert circuit.is_numbered == (circuit.link.kind == "host")


@pytest.mark.parametrize("back", [False, True])
def test_a_site_that_is_made_unnumbered_loses_its_numbered_sessions_and_gets_them_back(back: bool) -> None:
    """A push takes away every session and address of the other kind, as a push of ours brought them."""
    site = load(SITE)
    other = with_addressing(site.site.intent, "numbered")
    facts = {name: each.facts for name, each in platforms().items()}
    fabrics = [design(intent, load_catalogue(), facts) for intent in (site.site.intent, other)]
    both = [{each.config.name: each for each in device_configs(fabric)} for fabric in fabrics]
    for name in DEVICES:
        one, two = (
            wanted(each[name].config, each[name].capabilities, each[name].claims, environment("nvue")) for each in both
        )
        here, there = (two, one) if back else (one, two)
        plan = device_plan(here, running_text(there, there.tree), pushed(there))
        gone = {change.path for change in plan.changes if change.op == "-"}
        for neighbor in there.config.bgp.neighbors:
            assert ("vrf", "default", "router", "bgp", "neighbor", neighbor.peer) in gone

"""What ``validate --plane base`` judges: configurations, and nothing of a fabric."""

from nornir_tasks.usecases import validate
from nornir_tasks.usecases.site import select
from tests.unit.design import managed


def test_of_base_alone_configurations_are_judged_and_nothing_that_a_fabric_does() -> None:
    counts = validate.expected(select(managed.design(), ["base"]))
    assert {check for check, count in counts.items() if count} == {"reach", "config"}


def test_managed_base_adds_no_check_to_those_of_a_plane() -> None:
    for planes in ([], ["compute"]):
        ours, plain = (validate.expected(select(site, planes)) for site in (managed.design(), managed.site()))
        assert ours == plain

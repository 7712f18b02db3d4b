"""What ``validate --plane base`` judges: configurations, and nothing of a fabric."""

from nornir_tasks.usecases import validate
from nornir_tasks.usecases.site import select
from tests.unit.design import managed

OF_BASE = {"ntp", "syslog", "ztp", "management", "certificate", "accounts"}


def test_of_base_alone_configurations_and_services_are_judged_and_nothing_that_a_fabric_does() -> None:
    counts = validate.expected(select(managed.design(), ["base"]))
    assert {check for check, count in counts.items() if count} == {"reach", "config", "power", *OF_BASE}


def test_managed_base_adds_no_check_to_those_of_a_plane() -> None:
    ours, plain = (validate.expected(select(site, ["compute"])) for site in (managed.design(), managed.site()))
    assert ours == plain


def test_managed_base_adds_its_own_checks_to_those_of_the_whole_site() -> None:
    ours, plain = (validate.expected(select(site)) for site in (managed.design(), managed.site()))
    assert {check for check in ours if ours[check] != plain[check]} == OF_BASE

"""What ``nornir design --json`` lists of a link."""

from nornir_tasks.cli.design import link_as_json
from tests.unit.design.lab_like import lab


def test_a_link_that_nobody_uses_is_listed_without_mtu_and_addresses() -> None:
    link = lab().links[0]
    listed = link_as_json(link, ())
    assert (listed["mtu_bytes"], listed["upper"]["address"], listed["lower"]["address"]) == (None, None, None)
    assert (listed["upper"]["device"], listed["cable"]) == (link.upper.device, link.cable)

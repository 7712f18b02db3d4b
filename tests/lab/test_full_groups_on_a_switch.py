"""Access lists, IPv6 and redundant gateways on link aggregation groups and beside them, on switches that take lines."""

import pytest

from nornir_tasks.deploy.plan import device_plan
from tests.lab.line_shapes import Rendered
from tests.lab.pushes import bare_like, push
from tests.property.mutants import each_change_is_reported
from tests.unit.design.bundled import BOOT, ROUTED, TRUNK, bundled, group
from tests.unit.design.full_groups import DEVICES, part

SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)


@SYSTEMS
def test_groups_with_all_on_them_read_back_as_designed_whoever_is_pushed_first(device: str) -> None:
    whole = part(device)
    one, other = bare_like(whole), bare_like(whole)
    for plane in ("storage", "business", "compute"):
        push(one, part(device, plane))
    for plane in ("business", "compute", "storage"):
        push(other, part(device, plane))
    assert whole.platform.to_tree(one.running()) == whole.platform.to_tree(other.running())
    assert device_plan(whole, one.running()).changes == ()
    owned = Rendered(whole.config, whole.capabilities, whole.claims, "").owned(whole.platform.to_tree(one.running()))
    parsed = whole.platform.parse(owned, whole.capabilities, device, whole.config.model)
    assert not parsed.remainder
    assert parsed.config == whole.config


@SYSTEMS
def test_each_group_has_its_lists_and_addresses_and_no_member_has_any(device: str) -> None:
    ports = {port.name: port for port in part(device).config.interfaces}
    names = {number: group(bundled().device(device), number) for number in (TRUNK, BOOT, ROUTED)}
    assert all(ports[name].acls for name in names.values())
    assert ports[names[ROUTED]].ipv6_address is not None
    members = [port for port in ports.values() if port.member is not None]
    assert members
    assert not any(port.acls or port.ipv6_address or port.gateway for port in members)


@pytest.mark.sampled(1)
@SYSTEMS
def test_every_line_of_groups_and_svis_that_is_lost_or_changed_is_a_difference(device: str) -> None:
    whole = part(device)
    names = [port.name for port in whole.config.interfaces if port.lag is not None or port.gateway is not None]
    paths = [path for path in whole.tree.paths() if any(name in part.split() for part in path for name in names)]
    deleted, changed = map(sum, zip(*(each_change_is_reported(whole, path) for path in paths), strict=True))
    assert deleted > 15
    assert changed > 15

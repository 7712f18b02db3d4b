"""Each line that a key of `base` adds to a switch is of `base`: a push of it alone sends the line, no other does."""

import pytest

from nornir_tasks.errors import DesignError
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.usecases.site import select
from tests.unit.design import managed, reached

POLICIES = {
    "accounts, servers, management": managed.POLICY,
    "in the default VRF": managed.altered(managed.POLICY, vrf=managed.VRFS[1], management=None),
    "RADIUS": managed.settings(accounts=managed.ACCOUNTS, aaa={"radius": managed.RADIUS}),
    "SNMP": managed.settings(snmp=managed.SNMP),
    "API, SSH, control plane": reached.POLICY,
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
def test_a_line_of_base_that_is_another_owners_or_nobodys(device: str, policy: BaseIntent) -> None:
    if policy.snmp is not None and device.startswith("spine"):
        with pytest.raises(DesignError, match="snmp cannot be configured"):
            select(reached.design(policy))[device]
        return
    design, bare = reached.design(policy), select(reached.design(managed.settings()))[device].tree.paths()
    added = select(design)[device].tree.paths() - bare
    assert len(added) > 3
    assert added == select(design, ["base"])[device].tree.paths() - bare
    assert not added & select(design, ["compute"])[device].tree.paths()

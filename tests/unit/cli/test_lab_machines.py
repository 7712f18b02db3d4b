"""Which hosts the lab can bring up as machines."""

import pytest

from nornir_tasks.cli.lab import machine_plans
from nornir_tasks.cli.scope import load
from nornir_tasks.errors import LabError
from tests.svi import SITE


def test_machines_on_a_site_with_a_vlan_are_refused_with_what_would_do() -> None:
    scope = load(str(SITE))
    assert machine_plans(scope, 0) == ()
    with pytest.raises(LabError) as refused:
        machine_plans(scope, 1)
    (problem,) = refused.value.problems
    assert (problem.expected, problem.found) == ("link: p2p or subnet/N", "link: svi, VLAN 200")

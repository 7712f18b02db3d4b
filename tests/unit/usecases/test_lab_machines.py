"""Which hosts the lab can bring up as machines."""

from pathlib import Path

import pytest

from nornir_tasks.errors import LabError
from nornir_tasks.usecases.lab import machine_plans
from nornir_tasks.usecases.site import load
from tests.svi import SITE

FRONT = Path(__file__).parents[2] / "sites" / "front"


def test_machines_on_a_site_with_a_vlan_are_refused_with_what_would_do() -> None:
    design = load(SITE)
    assert machine_plans(design, 0) == ()
    with pytest.raises(LabError) as refused:
        machine_plans(design, 1)
    (problem,) = refused.value.problems
    assert (problem.expected, problem.found) == ("link: p2p or subnet/N", "link: svi, VLAN 200")


def test_machines_on_a_site_with_bonds_are_refused_with_the_planes_that_have_them() -> None:
    with pytest.raises(LabError, match="lab machines have no bonds; hosts on business, storage have"):
        machine_plans(load(FRONT), 1)

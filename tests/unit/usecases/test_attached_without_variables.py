"""BMCs have an address and a MAC in the lab whether or not it is known where their hosts' NICs are."""

import re
from pathlib import Path

from nornir_tasks.lab.plan import played_mac
from nornir_tasks.usecases.lab.up_down import lab_plan
from nornir_tasks.usecases.site import load
from nornir_tasks.usecases.start.answers import Answers
from nornir_tasks.usecases.start.create import from_answers


def test_a_site_whose_hosts_have_no_variables_has_a_lab_with_its_out_of_band_plane(tmp_path: Path) -> None:
    from_answers(tmp_path, Answers(site="dc1", planes=("compute", "oob"), nics=1), None)
    file = tmp_path / "fabric.yml"
    file.write_text(re.sub(r"^ +at: .*\n", "", file.read_text(), flags=re.MULTILINE))
    design = load(tmp_path)
    plan = lab_plan(design, None, frozenset(each.name for each in design.network.devices), False)
    ends = {each.name: each.end for each in plan.hosts}
    assert ends["gpu-1"] is None
    assert {"gpu-bmc-1", "bastion-1"} <= plan.attached
    assert all(ends[name] is not None and ends[name].mac == played_mac(name) for name in plan.attached)  # type: ignore[union-attr]

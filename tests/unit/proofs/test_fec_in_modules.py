"""100GBASE-DR modules in cages of NRZ lanes correct errors themselves: that port runs without, the split cage with."""

import json
from pathlib import Path
from typing import Any

from nornir_tasks.design.model.layer1 import layer1
from nornir_tasks.usecases.site import load
from tests.strategies import built
from tests.unit.design.test_nearest import site
from tests.unit.proofs.lossless_mutants import Mutant, Rendered

EOS = {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}


def legs_of_dr4() -> dict[str, Any]:
    """400G-DR4 at the spines, whose legs end at 100G ports of 4 x 25G."""
    spine = {**EOS, "oversubscription": 1, "breakout": "4x100G", "medium": "DR4"}
    at = ("0000:00:10.0", "0000:00:11.0")
    nics = {"rails": 2, "speed": "100G", "model": "ConnectX-7", "at": at}
    return site(design="clos", nics=nics, spine=spine, leaf=EOS, hosts__max=8, hosts__count=8)


def test_the_port_of_a_module_with_its_own_error_correction_has_none_and_the_far_end_has() -> None:
    network = built(legs_of_dr4())
    for link in (each for each in network.links if each.kind == "fabric"):
        lower, upper = layer1(link, link.lower.slot), layer1(link, link.upper.slot)
        assert lower is not None
        assert upper is not None
        assert (lower.lanes, lower.fec) == (4, "none")
        assert (upper.lanes, upper.fec) == (2, "rs")


def test_either_end_with_the_other_ends_error_correction_is_named(tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text(json.dumps(legs_of_dr4()))
    rendered = Rendered(load(str(tmp_path)))
    texts = rendered.texts
    some, none = "   error-correction encoding reed-solomon", "   no error-correction encoding"
    for device, here, there in (("leaf-g1", none, some), ("spine-1", some, none)):
        assert here in texts[device]
        changed = texts[device].replace(here, there, 1)
        found = rendered.proved(Mutant(device, 0, "", "", changed))
        (broken,) = next(each for each in found.outcomes if each.name == "layer-1").broken
        assert device in broken.where
        assert "error correction" in broken.what
    clean = rendered.proved(Mutant("leaf-g1", 0, "", "", texts["leaf-g1"]))
    assert next(each for each in clean.outcomes if each.name == "layer-1").broken == ()

"""The front fabric of the built-in lab in one QEMU machine, its pairs on one system, and what can be lost of it."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from at_terminal import ROOT, Operator
from routed_lab import RoutedLab, on_this_machine, until
from whole_way import Found, Probe, WholeWay

from nornir_tasks.design.model.network import Network
from nornir_tasks.usecases.site import load

CONVERGED_S = 900.0
"""In an emulated machine on busy cores."""
PLANES = ("--plane", "storage", "--plane", "business")
LEAVES = {
    "eos": "platform: eos\n      release: 4.33.1F\n      model: 7050SX3-48YC8",
    "nxos": 'platform: nxos\n      release: "10.4(3)"\n      model: N9K-C93180YC-FX3',
    "nvue": 'platform: nvue\n      release: "5.16"\n      model: SN2410',
}


AS_IT_IS = "as it is"
ADOPTERS = ("front-leaf-g3-a", "front-leaf-g3-b")
ADOPTED = tuple(word for leaf in ADOPTERS for word in ("--adopt", f"{leaf}:vlan 310"))
"""Of the leaves that have the VLAN, where they are NX-OS: the lab's have one of that number, as others left it."""


class Loss(NamedTuple):
    """What is lost at once."""

    kind: str
    cables: tuple[str, ...] = ()
    switch: str = ""
    shut: str = ""
    """The member of a pair that shuts its groups then."""


_KINDS = {"fabric": "an uplink", "host": "a leg"}
LOSSES = (
    Loss("nothing"),
    Loss("an uplink", ("front-leaf-g3-a-u1",)),
    Loss("the peer link", ("front-leaf-g3-a-p1", "front-leaf-g3-a-p2"), shut="front-leaf-g3-b"),
    Loss("a leg of each of two hosts", ("gpu-1:front0", "gpu-2:front1")),
    Loss("a leg of a machine beyond", ("firewall-1:lan0",)),
    Loss("a member", switch="front-leaf-g3-a"),
)
"""At the pair of the way out, and two legs so that hosts of one VLAN have the peer link between them."""


def site_of(system: str, where: Path) -> Operator:
    """The built-in lab with the pairs of its front fabric on one system; ``AS_IT_IS``: each on its own."""
    shutil.copytree(ROOT / "inventory/lab", where / "lab")
    file = where / "lab/fabric.yml"
    if system == AS_IT_IS:
        return Operator(where / "lab", where / "state", timeout_s=3600.0)
    text = file.read_text()
    front, leaf = text.index("  front:"), LEAVES["eos"]
    begins = text.index(leaf, front)
    ends = text.index("    spine:", begins)
    pairs = re.sub(r"      overrides:.*", "", text[begins:ends].replace(leaf, LEAVES[system]), flags=re.DOTALL)
    file.write_text(text[:begins] + pairs + text[ends:])
    return Operator(where / "lab", where / "state", timeout_s=3600.0)


def every_loss(network: Network) -> Iterator[Loss]:
    """Each link of the pairs alone, each peer link whole, both uplinks of a member at once, and each member."""
    for pair in network.pairs:
        for leaf in pair.leaves:
            links = network.links_of(leaf)
            for kind in ("fabric", "host"):
                yield from (Loss(_KINDS[kind], (each.cable,)) for each in links if each.kind == kind)
            yield Loss("all uplinks of a member", tuple(each.cable for each in links if each.kind == "fabric"))
            yield Loss("a member", switch=leaf)
        peers = [each.cable for each in network.links_of(pair.leaves[0]) if each.kind == "peer"]
        yield from (Loss("a cable of a peer link", (each,)) for each in peers)
        yield Loss("a peer link", tuple(peers), shut=pair.leaves[1])


class RaisedWay(WholeWay):
    """Of a lab that is up; ``up_s``: how long that took."""

    name = ""
    up_s = 0.0
    _lost = Loss("nothing")

    def found_without(self, loss: Loss) -> dict[Probe, Found]:
        """Mend what was lost before, lose this, wait until the switches agree about it, and send everything."""
        operator, is_first = self.lab.operator, self._lost == loss
        if not is_first:
            self._mend()
        self._lost = loss
        for each in loss.cables:
            operator.run("lab", "cut", each)
        if loss.switch:
            operator.run("lab", "kill", loss.switch)
        if not is_first:
            until(self.lab.assert_both_tiers_agree, CONVERGED_S)
        return self.found(filter(None, (loss.switch, loss.shut)))

    def _mend(self) -> None:
        """All legs of bonds are in use again before something else is lost."""
        if self._lost.cables or self._lost.switch:
            self.lab.operator.run("lab", "mend")
            until(self.lab.assert_bonds_talk, CONVERGED_S)


@contextmanager
def raised(operator: Operator, planes: tuple[str, ...] = PLANES) -> Iterator[RaisedWay]:
    """The lab of a site, with its front fabric, or these ``planes`` (none named: all), up and pushed."""
    began_s = time.monotonic()
    try:
        operator.run("lab", "up", "--routed", "--machine", *planes)
        adopted = ADOPTED if load(operator.site).network.device(ADOPTERS[0]).os == "nxos" else ()
        operator.run("push", *planes, "--yes", *adopted)
        lab = RoutedLab(operator)
        until(lab.assert_both_tiers_agree, CONVERGED_S)
        until(lab.assert_bonds_talk, CONVERGED_S)
        way = RaisedWay(lab, load(operator.site))
        way.up_s = time.monotonic() - began_s
        try:
            yield way
        finally:
            way.sender.close()
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []

"""Which VRF a plane may be in. Its fabric routes in it as a whole: an uplink that is untagged carries one VRF."""

from collections.abc import Iterator

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.model.claims import MANAGEMENT_VRF, name_prefix
from nornir_tasks.intent.core.findings import Finding


def refusals(choices: Choices) -> Iterator[Finding]:
    """A VRF of an unknown name, one that links without addresses are in, and one that a switch has no lines for."""
    demand = choices.demand
    name, path = demand.plane.vrf, demand.on_plane("vrf")
    if name is None:
        return
    prefix = name_prefix(demand.fabric_name)
    own = prefix.removesuffix("-")
    if not f"{name}-".startswith(prefix) or MANAGEMENT_VRF.fullmatch(name):
        what = "a VRF that could be taken for another team's" if own != name else "a VRF that management may be in"
        hint = "the fabric routes in it, so it bears the fabric's name in capitals, and none that management goes by"
        expected = f"{own}, or {prefix} and more" if not MANAGEMENT_VRF.fullmatch(own) else "a fabric of another name"
        yield Finding(path, what, expected, name, hint, also=("fabrics", demand.fabric_name))
    if demand.fabric.routing.addressing != "numbered":
        expected = "no vrf, or addressing: numbered"
        also = demand.on_fabric("routing", "addressing")
        yield Finding(path, "links without addresses are built for the default VRF alone", expected, name, also=also)
    systems = {(each.os, each.release): each.capabilities for each in choices.all}
    for (os, release), capabilities in sorted(systems.items()):
        if not capabilities.has_vrfs:
            what = f"{os} {release} cannot be configured with VRFs: {capabilities.vrf_gap or 'it has none'}"
            yield Finding(path, what, "no vrf, or another system", name)

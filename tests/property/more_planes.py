"""Random sites with planes beside the first, with ports of every kind: trunks, groups, in VRFs, lossy, filtered, IPv6.

No key of the intent makes these yet; the planes are those of the tests.
"""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.kinds import Kinds
from nornir_tasks.design.model.network import Network
from tests.unit.design import bundled, filtered, full_groups, tagged, toy_layer3, toy_profiles, toys

MOST_LEAVES = 20
"""For so many the tests' planes have addresses."""
_OF_PORTS = ("tags", "filtered tags", "groups", "full groups")
KINDS = ("nothing", *_OF_PORTS, "full groups", "storage in a VRF", "IPv6 storage", "lossy storage", "lossy storage")
EXTRA = st.sampled_from(KINDS)


def with_more(site: Network, extra: str) -> tuple[Network, Kinds]:
    """The site with these planes, and their kinds; without, where it has no room for them."""
    leaves = [each for each in site.devices if each.level == 0]
    is_numbered = all(each.upper_address for each in site.circuits if each.is_underlay)
    if extra == "nothing" or len(leaves) > MOST_LEAVES or not is_numbered:
        return site, kinds()
    try:
        if extra in {"tags", "filtered tags"}:
            return tagged.with_tags(site), (tagged if extra == "tags" else filtered).with_kinds()
        if extra in {"groups", "full groups"}:
            return bundled.with_groups(site), (bundled if extra == "groups" else full_groups).with_kinds()
        made = toys.storage_on(site, "STORAGE" if extra == "storage in a VRF" else None)
    except (StopIteration, RuntimeError):  # no port to spare; a generator makes the one of the other
        return site, kinds()
    if extra == "IPv6 storage":
        return made, toy_layer3.among()
    return (_lossy(made) if extra == "lossy storage" else made), toys.with_kind()


def _lossy(site: Network) -> Network:
    """Storage's ports pause for no class, and share bandwidth in another way."""
    classes = site.fabrics["compute"].classes
    own = tuple(replace(each, lossless=False, ecn=None if each.lossless else each.ecn) for each in classes)
    storage = replace(site.planes["storage"], profile=toy_profiles.PROFILE, classes=own)
    return replace(site, planes={**site.planes, "storage": storage})

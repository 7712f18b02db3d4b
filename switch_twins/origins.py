"""Where the paths of BGP come from, looked up at who originates the prefix.

``Igp`` has a ``network`` line there, ``Incomplete`` is redistributed. ``set origin`` of route maps is not followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .bgp_paths import BgpPath
from .policy import prefix_text

if TYPE_CHECKING:
    from .fabric import FabricSim

Origin = Literal["Igp", "Incomplete"]


class Origins:
    """Of all prefixes of a fabric, as it is when this is made."""

    def __init__(self, fabric: FabricSim) -> None:
        self._networks = {
            (instance.asn, prefix_text(network))
            for state in fabric.states()
            for instance in state.bgp
            for network in instance.networks
        }

    def of(self, path: BgpPath, own_asn: int) -> Origin:
        """``own_asn``: of the switch, whose own paths have no AS in them."""
        asn = path.as_path[-1] if path.as_path else own_asn
        return "Igp" if (asn, path.prefix) in self._networks else "Incomplete"

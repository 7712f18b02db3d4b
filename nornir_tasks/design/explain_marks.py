"""ECN for ``nornir design --explain``: speeds of the ports that mark, the speed that a source speaks of, and cells."""

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.pipeline import Realised


def marking_inputs(each: Realised, ecn: Ecn, *, published: bool) -> dict[str, int | str]:
    """Speeds of the ports that mark; of a published start value the speed of its source; what its cells make of it.

    No source has start values for every speed, or for a length of cable: those of another speed are shown, not altered.
    """
    known = each.capabilities
    speeds = sorted({port.layer1.speed_gbps for port in each.config.interfaces if port.layer1 and port.qos_profile})
    found: dict[str, int | str] = {"cell_bytes": known.ecn_cell_bytes, "port_gbps": ", ".join(map(str, speeds))}
    if published:
        found["published_for_gbps"] = "every port" if known.ecn_gbps is None else known.ecn_gbps
    in_cells = -(-ecn.min_bytes // known.ecn_cell_bytes) * known.ecn_cell_bytes
    if in_cells != ecn.min_bytes:
        found["begins_at_bytes"] = in_cells
    return found

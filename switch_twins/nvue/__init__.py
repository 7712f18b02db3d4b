"""The twin of NVIDIA Cumulus Linux 5.14 and 5.16, spoken to through NVUE's REST API.

schema.py, keys.py      what a configuration may hold, per release (nvueschema's models, walked strictly)
revisions.py, checks.py branches, apply, confirm and rollback; what an apply refuses
autofill.py             what NVUE adds by itself;  defaults.py  what filled=true shows;  qos.py  what RoCE stands for
server.py, query.py     the REST surface;  access.py  accounts, tokens, and whether the switch can be reached
extract.py              the tree's meaning for neighbours;  operational.py  what the switch sees of them
ports.py                which ports there are, as cages are split
brownfield.json         what other people configured before

tests/corpus/nvue holds the sources.
"""

from ..spec import DeviceSpec
from ..twin import LabContext
from .device import NvueTwin

__all__ = ["NvueTwin", "build"]


def build(device: DeviceSpec, lab: LabContext) -> NvueTwin:
    """The twin of one switch. Raises TwinError for a release without a schema."""
    return NvueTwin(device, lab)

"""The twin of NVIDIA Cumulus Linux 5.14 and 5.16, with NVUE's REST API.

schema.py, keys.py      valid configuration per release (nvueschema's models, read strictly)
revisions.py, checks.py branches, apply, confirm and rollback; the refusals of an apply
autofill.py             NVUE's automatic additions;  defaults.py  additions of filled=true;  qos.py  RoCE's settings
server.py, query.py     the REST server;  access.py  accounts, tokens, and reachability of the switch
extract.py              the tree's meaning for neighbours;  operational.py  operational state
ports.py                the ports of split and whole cages
brownfield.json         foreign configuration from before the first push

tests/corpus/nvue has the sources.
"""

from ..lab_context import LabContext
from ..spec import DeviceSpec
from .device import NvueTwin

__all__ = ["NvueTwin", "build"]


def build(device: DeviceSpec, lab: LabContext) -> NvueTwin:
    """The twin of one switch. Raises TwinError for a release without a schema."""
    return NvueTwin(device, lab)

"""The lab's NX-OS switches: NX-API over TLS and SSH/SCP, with configure replace, checkpoints and rollback."""

from ..lab_context import LabContext
from ..spec import DeviceSpec
from .twin import NxosTwin

__all__ = ["NxosTwin", "build"]


def build(device: DeviceSpec, lab: LabContext) -> NxosTwin:
    """The twin of one NX-OS switch, with the lab's brownfield configuration on it."""
    return NxosTwin(device, lab)

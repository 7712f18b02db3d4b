"""The switches of ``managed`` with RADIUS servers in place of those of TACACS+."""

from nornir_tasks.design.pipeline import Realised
from tests.unit.design import managed

DEVICES, VRFS = managed.DEVICES, managed.VRFS


def realised(device: str, vrf: str = "MGMT") -> Realised:
    """As :func:`managed.realised`."""
    return managed.realised(device, vrf, "radius")

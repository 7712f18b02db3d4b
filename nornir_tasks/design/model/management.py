"""Where the management port of each switch is: its address in the out-of-band plane, as the design gives it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ManagementAddress:
    """The IPv4 address of a switch's management port, and the way out from there."""

    address: str
    """Without length."""
    prefix_length: int
    gateway: str
    """Where the management VRF's default route goes to; without length."""

    @property
    def interface(self) -> str:
        """The address with its length."""
        return f"{self.address}/{self.prefix_length}"

"""The redundant gateway of an SVI, in the common model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gateway:
    """The redundant gateway of an SVI. None: the OS has no line for it, or hosts use no such address."""

    address: str | None
    """IPv4 address without length, in the SVI's subnet."""
    ipv6_address: str | None = None
    mac_address: str | None = None
    """``00:1c:73:00:00:01``; on EOS one for all gateways of the switch."""
    group: int | None = None
    """Of HSRP, which picks one of both switches to answer; ``priority`` decides which, the greater one."""
    priority: int | None = None
    preempt: bool = False
    """The one of greater priority takes over again once it is back."""

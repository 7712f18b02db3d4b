"""How a switch is reached, in the common model: its API and SSH."""

from dataclasses import dataclass

from nornir_tasks.design.config.access_lists import AccessList, AclRule, Family


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """The API of a switch, by HTTPS alone. Its port is whatever the switch has."""

    certificate: str
    """The name that its certificate and key have on the switch."""
    vrf: str | None
    """The one VRF that it is served in, by the name that the switch has for it; None: the default one, or the OS binds
    the API to addresses."""
    address: str | None = None
    """The one address that it is served on, where the OS binds the API to addresses; None: it is not known, and what it
    listens on is others'."""


@dataclass(frozen=True, slots=True)
class SshSettings:
    """SSH to a switch: no root, no Telnet beside it."""

    idle_minutes: int
    """An idle session ends after these; NX-OS has 30 without a line."""
    vrf: str | None
    """The one VRF that it is served in, by the switch's name for it; None: the default one, or all on that OS."""


CONTROL_LIST = "GPUFABRIC-BASE-CONTROL"
"""Name of the access list of the control plane."""


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """What gets in to the switch itself over its management port."""

    rules: tuple[AclRule, ...]
    """Of the access list of IPv4; the last one denies everything."""
    vrf: str | None
    """The VRF that the list is applied in; None: it is applied to the management port."""

    @property
    def access_list(self) -> AccessList:
        """The list that has these rules."""
        return AccessList(CONTROL_LIST, "ipv4", self.rules)


FABRIC_LISTS: dict[Family, str] = {"ipv4": "GPUFABRIC-BASE-FABRIC", "ipv6": "GPUFABRIC-BASE-FABRIC-V6"}
"""Names of the access lists of what comes to a switch by ports other than its management port."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How a switch is reached. What is not managed is None."""

    api: ApiSettings | None = None
    ssh: SshSettings | None = None
    control_plane: ControlPlane | None = None
    fabric: tuple[AccessList, ...] = ()
    """Lists of the default VRF, at most one of each family, IPv4 first. Without one its OS has its own."""


NO_REACH = Reach()
"""Of a switch where all of it is others'."""

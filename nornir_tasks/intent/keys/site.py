"""What the operator asks for: the typed form of ``inventory/<site>/fabric.yml``.

``policy`` holds for the whole site; ``fabrics`` are switches, the cables between them and the routing over these;
``planes`` are what hosts get, each riding on a fabric; ``hosts`` are how many, and which NIC port is on which plane.
Strict: a key we do not know is an error, a number is not taken for a text, nothing is guessed. Rules that concern
several fields stand in modules of their own. Nothing here knows a switch, a port or an address.
"""

from typing import Literal

from pydantic import PrivateAttr

from nornir_tasks.intent.core.fields import Name, OwnName
from nornir_tasks.intent.core.findings import Marks
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.keys.base import BaseChoice
from nornir_tasks.intent.keys.bill import BillIntent
from nornir_tasks.intent.keys.boundary import BoundaryIntent
from nornir_tasks.intent.keys.day0 import Day0Intent
from nornir_tasks.intent.keys.fabric import FabricIntent
from nornir_tasks.intent.keys.host import HostGroupIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.policy import PolicyIntent


class ManagementIntent(Part):
    """How the switches are reached."""

    source: Literal["devices", "lab"] = "devices"
    """``devices`` reads devices.yml beside the intent, ``lab`` asks the built-in lab."""
    tool: Name | None = None
    """The device on the out-of-band plane that switches are pushed from, of a group that may enter it (``entry``); from
    it follow the ways to all management ports, and the order of pushes. Without it the first of the first group."""


class Intent(Part):
    """One site."""

    site: Name
    """What the site is called. It ends in a letter or digit, as does each fabric's name: both are labels of nodes."""
    policy: PolicyIntent
    """What holds where no fabric or plane says otherwise."""
    fabrics: dict[OwnName, FabricIntent]
    """Switches and cables. At least one plane rides on each. None is called ``switch``, ``base`` or ``gpufabric``, nor
    begins with ``gpufabric-``; of two names of fabrics and planes none begins with the other and a dash."""
    planes: dict[OwnName, PlaneIntent]
    """What hosts get. A plane may be called like the fabric it rides on, and like no other."""
    hosts: dict[Name, HostGroupIntent]
    """Group -> its hosts; they are called after it, gpu-1, gpu-2 and on. At least one, none called ``leaf``, ``spine``,
    ``core``, ``all``, ``ungrouped`` or ``localhost``, nor like the boundary's machines or a group of these. Without
    an underscore, which nodes of Kubernetes cannot have, and ending in a letter or digit."""
    management: ManagementIntent = ManagementIntent()
    """How the switches are reached."""
    base: BaseChoice = "unmanaged"
    """Base configuration of switches: time servers, and where the log goes. ``unmanaged``: it is others', and stays as
    each switch has it. ``nornir push --plane base`` sends it alone; with another ``--plane`` it is not sent."""
    day0: Day0Intent | None = None
    """What switches fetch at first boot is served from here. ``nornir day0`` needs it."""
    bill: BillIntent = BillIntent()
    """Spares, prices and power for the bill of materials."""
    boundary: BoundaryIntent | None = None
    """What lies between the site and the outside world. Without it nothing is said of that."""
    allow_memory: tuple[str, ...] = ()
    """Names of line shapes known only from memory that may be rendered all the same. One that no switch of the
    site has a line shape of is refused."""

    _marks: Marks = PrivateAttr(default_factory=Marks)

    def has_own_base(self, fabric: str) -> bool:
        """Do the switches of a fabric have base configuration of their own? Edge routers have the site's."""
        return fabric in self.fabrics and self.fabrics[fabric].base is not None

    @property
    def marks(self) -> Marks:
        """Where each value stands in the file, for errors found later."""
        return self._marks

    def with_marks(self, marks: Marks) -> "Intent":
        """The same intent, knowing its file."""
        marked = self.model_copy()
        marked._marks = marks  # noqa: SLF001 - its own, on the copy
        return marked

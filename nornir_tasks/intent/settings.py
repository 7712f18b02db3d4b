"""What holds for one plane on its fabric: its own word where it has one, else the policy's, each with its place."""

from collections.abc import Mapping
from dataclasses import dataclass

from nornir_tasks.intent.core.findings import Path
from nornir_tasks.intent.core.intent_model import LoadBalancing
from nornir_tasks.intent.keys.fabric import FabricIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.policy import PolicyIntent, TrafficClassIntent


@dataclass(frozen=True, slots=True)
class Terms:
    """Each value is looked up when it is asked for: in an intent with mistakes some cannot be known."""

    policy: PolicyIntent
    fabric_name: str
    fabric: FabricIntent
    plane_name: str
    plane: PlaneIntent

    @property
    def classes(self) -> Mapping[str, TrafficClassIntent]:
        """The traffic classes, by name."""
        return self.policy.classes if self.plane.classes is None else self.plane.classes

    @property
    def classes_at(self) -> Path:
        """Where they stand."""
        return self._of_policy("classes") if self.plane.classes is None else self._of_plane("classes")

    @property
    def congestion(self) -> str:
        """One of ``PROFILES`` in :mod:`nornir_tasks.intent.core.fields`."""
        return self.policy.congestion if self.plane.congestion is None else self.plane.congestion

    @property
    def congestion_at(self) -> Path:
        """Where it stands."""
        return self._of_policy("congestion") if self.plane.congestion is None else self._of_plane("congestion")

    @property
    def queue_pairs(self) -> int:
        """Queue pairs of a connection between two GPUs."""
        return 1 if self.policy.queue_pairs is None else self.policy.queue_pairs.per_connection

    @property
    def host_mtu_bytes(self) -> int:
        """IP MTU of the hosts."""
        return self.policy.mtu.host if self.plane.mtu is None else self.plane.mtu

    @property
    def host_mtu_at(self) -> Path:
        """Where it stands."""
        return self._of_policy("mtu", "host") if self.plane.mtu is None else self._of_plane("mtu")

    @property
    def fabric_mtu_bytes(self) -> int:
        """IP MTU that is asked of switches' ports."""
        return self.policy.mtu.fabric if self.fabric.mtu is None else self.fabric.mtu

    @property
    def fabric_mtu_at(self) -> Path:
        """Where it stands."""
        return self._of_policy("mtu", "fabric") if self.fabric.mtu is None else self._of_fabric("mtu")

    @property
    def load_balancing(self) -> LoadBalancing:
        """How the fabric spreads over equal-cost paths."""
        return self.policy.load_balancing if self.fabric.load_balancing is None else self.fabric.load_balancing

    @property
    def load_balancing_at(self) -> Path:
        """Where it stands."""
        own = self.fabric.load_balancing is not None
        return self._of_fabric("load_balancing") if own else self._of_policy("load_balancing")

    def _of_policy(self, *path: str) -> Path:
        return ("policy", *path)

    def _of_fabric(self, *path: str) -> Path:
        return ("fabrics", self.fabric_name, *path)

    def _of_plane(self, *path: str) -> Path:
        return ("planes", self.plane_name, *path)

"""Static routes of a switch, in the common model."""

from dataclasses import dataclass

from nornir_tasks.design.config.vrfs import RouteKey


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A discard route: it keeps the leaf's host block announced while single host ports flap."""

    prefix: str
    vrf: str | None = None
    """None: the default one."""

    @property
    def key(self) -> RouteKey:
        """Which route of the switch it is."""
        return self.vrf, self.prefix

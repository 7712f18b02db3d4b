"""What is bought and laid: one assembly may carry several links."""

from dataclasses import dataclass

from nornir_tasks.design.media import COPPER


@dataclass(frozen=True, slots=True)
class Cable:
    """One assembly between two places."""

    name: str
    medium: str | None
    length_m: int | None
    links: tuple[str, ...]
    ends: int
    """Pluggable ends."""

    @property
    def optics(self) -> int:
        """Ends that are optics: all but copper's."""
        return 0 if self.medium in COPPER else self.ends

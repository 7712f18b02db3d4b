"""What a storage plane should carry and can: its fullest part, and the fullest after each failure."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nornir_tasks.design.capacity.throughput import Load


def print_loads(loads: "Iterable[Load]") -> None:
    """A line for each plane and purpose, and one for each failure below it."""
    from nornir_tasks.cli.console import out

    fullest: dict[tuple[str, str], dict[str, Load]] = {}
    for each in loads:
        worst = fullest.setdefault((each.plane, each.purpose), {})
        if each.lost not in worst or each.share > worst[each.lost].share:
            worst[each.lost] = each
    for (plane, purpose), worst in fullest.items():
        out.print(f"{plane}, {purpose}: {_text(worst[''])}")
        for lost, each in worst.items():
            if lost:
                out.print(f"  {lost} lost: {_text(each)}{_over(each)}")


def _text(load: "Load") -> str:
    if not load.has_gbps:
        return f"nothing is left of the {load.part}"
    return f"{load.share:.0%} of the {load.part} ({load.needed_gbps:.4g} of {load.has_gbps:.4g} Gbit/s)"


def _over(load: "Load") -> str:
    return f"; {1 / load.share:.0%} goes on" if load.has_gbps and load.share > 1 else ""


def loads_as_json(loads: "Iterable[Load]") -> list[dict[str, Any]]:
    """Every part with and without each failure."""
    return [
        {
            "plane": each.plane,
            "purpose": each.purpose,
            "part": each.part,
            "lost": each.lost or None,
            "needed_gbps": each.needed_gbps,
            "has_gbps": each.has_gbps,
            "share": each.share if each.has_gbps else None,
        }
        for each in loads
    ]

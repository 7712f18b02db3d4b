"""Filter ``plane_problems``: all problems of a host's planes at once, before anything is changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

PLANE = re.compile(r"[a-z][a-z0-9_-]*")
INTERFACE = re.compile(r"[A-Za-z0-9._:@-]{1,15}")  # kernel's rules (15: IFNAMSIZ), less what nft reads otherwise
INTENT = "hosts.<group>.interfaces in fabric.yml"


def plane_problems(planes: Mapping[str, Sequence[str]], known: Sequence[str]) -> list[str]:
    """Each problem as `variable: what is wrong; remedy`. ``known``: the host's interfaces, including future rails."""
    strange = [plane for plane in planes if not PLANE.fullmatch(plane)]
    found = [f"plane_guard_planes: plane {plane!r}; expected a-z, 0-9, - and _, a letter first" for plane in strange]
    owners: dict[str, list[str]] = {}
    for plane, interfaces in sorted(planes.items()):
        for interface in interfaces:
            owners.setdefault(interface, []).append(plane)
    for interface, of in owners.items():
        if len(of) > 1:
            both = " and ".join(of)
            found.append(f"plane_guard_planes: {interface} is on {both}, which are to be kept apart; correct {INTENT}")
        if not INTERFACE.fullmatch(interface):
            found.append(f"plane_guard_planes.{of[0]}: {interface!r} is no name of an interface; correct {INTENT}")
        elif interface not in known:
            look = "compare with `ip link`"
            found.append(f"plane_guard_planes.{of[0]}: no interface {interface} on this host; {look}, correct {INTENT}")
    if len({of[0] for of in owners.values()}) < 2:
        only = " and ".join(sorted({of[0] for of in owners.values()})) or "no plane"
        found.append(
            f"plane_guard_planes: interfaces of {only} only, so that nothing would be guarded; "
            f"name the host's interfaces of its other planes under {INTENT}"
        )
    return found


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"plane_problems": plane_problems}

"""Rules of traffic classes of several planes on one fabric: what its links share, and what ports may have of their own.

Links between switches carry packets of all planes, so what a code point means there is one thing: the planes' classes
where all have the same, else the policy's. A plane's own classes may differ from these in how its hosts' ports treat
them (``lossless``, ``weight``, ``ecn``), where its switches can.
"""

from collections.abc import Iterator, Mapping, Sequence

from nornir_tasks.intent.core.findings import Finding, Path, dotted
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.policy import TrafficClassIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.settings import Terms

SHARED_FIELDS = ("dscp", "priority", "strict")
"""What of a class holds on all links of a fabric."""

_SHARED = (
    "packets of all planes cross the links of their fabric, so dscp, priority and strict hold for all of them; "
    "lossless, weight and ecn may be the plane's own, on its hosts' ports"
)


def shared_classes(on_fabric: Sequence[Terms]) -> tuple[Mapping[str, TrafficClassIntent], Path]:
    """The classes on links between switches, and where they stand: the planes' where they agree, else the policy's."""
    first = on_fabric[0]
    if all(each.classes == first.classes for each in on_fabric[1:]):
        return first.classes, first.classes_at
    return first.policy.classes, ("policy", "classes")


def lossless_memory(intent: Intent) -> Iterator[Finding]:
    """Memory is kept for classes that there are."""
    of_planes = [each.classes for each in intent.planes.values() if each.classes is not None]
    every = [one for classes in (intent.policy.classes, *of_planes) for one in classes.values()]
    percent = intent.policy.lossless_memory_percent
    if percent is not None and not any(each.lossless for each in every):
        expected = "a lossless class, of the policy or of a plane, or no such share"
        yield Finding(
            ("policy", "lossless_memory_percent"),
            "memory for classes of which none is lossless",
            expected,
            str(percent),
        )


def planes_on_fabrics(intent: Intent) -> Iterator[Finding]:
    """Planes whose own classes say otherwise than their fabric's links do."""
    for name, fabric in intent.fabrics.items():
        there = {plane: each for plane, each in intent.planes.items() if each.fabric == name}
        terms = [Terms(intent.policy, name, fabric, plane, each) for plane, each in there.items()]
        yield from independent(_on_fabric(terms))


def _on_fabric(terms: Sequence[Terms]) -> Iterator[Finding]:
    if not terms:
        return
    shared, shared_at = shared_classes(terms)
    for each in terms:
        if each.classes_at != shared_at:
            yield from _against(each.classes, each.classes_at, shared, shared_at)


def _against(
    own: Mapping[str, TrafficClassIntent], own_at: Path, shared: Mapping[str, TrafficClassIntent], shared_at: Path
) -> Iterator[Finding]:
    if own.keys() != shared.keys():
        what, hint = "other classes than links between switches have", _SHARED
        yield Finding(own_at, what, ", ".join(shared), ", ".join(own), hint, also=shared_at)
    for name in (each for each in own if each in shared):
        for field in SHARED_FIELDS:
            found, expected = getattr(own[name], field), getattr(shared[name], field)
            if found != expected:
                what = f"another {field} than on links between switches"
                path, also = (*own_at, name, field), (*shared_at, name, field)
                yield Finding(path, what, _spell(expected), _spell(found), _SHARED, also=also)
        if own[name].lossless and not shared[name].lossless:
            what = "lossless on its ports, and dropped on links between switches"
            expected = f"{dotted((*shared_at, name, 'lossless'))}: true as well"
            yield Finding((*own_at, name, "lossless"), what, expected, "true", also=(*shared_at, name))


def _spell(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)

"""Rules of NICs with several ports, each on a copy of the fabric."""

from collections.abc import Iterator

from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.host import NicsIntent
from nornir_tasks.intent.keys.site import Intent

MOST_OF_A_STEM = 11
"""Characters of ``port_names``: the number of a rail and of a copy follow, ``10c4``, and Linux takes 15 (IFNAMSIZ)."""

At = tuple[Path, "NicsIntent"]
"""The NICs of a group on a plane, with their place in the file."""


def nics(each: NicsIntent) -> Iterator[Finding]:
    """What goes with copies alone, and what copies need."""
    if each.copies is None:
        if each.copy_addressing is not None:
            what, expected = "addresses on copies, of NICs without copies", "copies: 2 or 4 beside it, or neither"
            yield Finding(("copy_addressing",), what, expected, each.copy_addressing)
        return
    if each.model is None and each.ports_of is None:
        what = "a NIC as several ports, of a model that is not declared"
        yield Finding(("copies",), what, "model: a NIC of the catalogue that splits so", str(each.copies))
    if len(each.port_names) > MOST_OF_A_STEM:
        what, expected = "names that the kernel does not take", f"at most {MOST_OF_A_STEM} characters, with copies"
        found = f"{each.port_names}{each.rails - 1}c{each.copies}"
        yield Finding(("port_names",), what, expected, found, "an interface's name has at most 15")
    if each.exceptions:
        what = "a NIC of several ports is elsewhere in some hosts: this is not built yet"
        expected = "a group of their own for such hosts, with their at"
        yield Finding(("exceptions",), what, expected, ", ".join(each.exceptions))


def copies(intent: Intent) -> Iterator[Finding]:
    """All NICs on a fabric are on as many copies of it, and none of their ports is shared by planes."""
    for name in intent.fabrics:
        on_it: list[At] = [
            (("hosts", group, "nics", plane), each)
            for group, hosts in intent.hosts.items()
            for plane, each in hosts.nics.items()
            if plane in intent.planes and intent.planes[plane].fabric == name and each.ports_of is None
        ]
        yield from independent(_alike(on_it), _there(name, intent.fabrics[name].copies_there, on_it))
    for name in intent.planes:
        of_plane: list[At] = [
            (("hosts", group, "nics", name), hosts.nics[name])
            for group, hosts in intent.hosts.items()
            if name in hosts.nics
        ]
        yield from independent(_addressed_alike(of_plane))
    yield from independent(_shared(intent))


def _alike(on_it: list[At]) -> Iterator[Finding]:
    for path, each in on_it[1:]:
        first, one = on_it[0]
        if each.copies != one.copies:
            what = "not on as many copies of the fabric as other NICs on it"
            hint = "copies share no switch; put the plane on a fabric of its own"
            expected, found = _text(one), _text(each)
            yield Finding((*path, "copies"), what, expected, found, hint, also=(*first, "copies"))


def _there(name: str, there: int | None, on_it: list[At]) -> Iterator[Finding]:
    """Not all copies of a fabric are there: fewer than its NICs have ports for."""
    if there is None or not on_it or there < on_it[0][1].ports:
        return
    (path, each), where = on_it[0], ("fabrics", name, "copies_there")
    if each.copies is None:
        what, expected = "copies of a fabric whose NICs have one port", "no copies_there; or copies: 2 of these NICs"
        yield Finding(where, what, expected, str(there), also=path)
    else:
        what, expected = "all copies are there, or more", f"fewer than {each.copies}, or no copies_there"
        yield Finding(where, what, expected, str(there), also=(*path, "copies"))


def _text(each: NicsIntent) -> str:
    return "no copies" if each.copies is None else f"copies: {each.copies}"


def _addressed_alike(of_plane: list[At]) -> Iterator[Finding]:
    for path, each in of_plane[1:]:
        first, one = of_plane[0]
        expected, found = one.copy_addressing or "per_port", each.copy_addressing or "per_port"
        if each.copies == one.copies and found != expected:
            what = "addresses on copies otherwise than other hosts on the plane"
            also = (*first, "copy_addressing")
            yield Finding((*path, "copy_addressing"), what, expected, found, also=also)


def _shared(intent: Intent) -> Iterator[Finding]:
    for group, hosts in intent.hosts.items():
        for plane, each in hosts.nics.items():
            owner = hosts.nics.get(each.ports_of or "")
            if owner is not None and owner.copies is not None:
                also = ("hosts", group, "nics", str(each.ports_of), "copies")
                what = "a plane on another's NICs, of which each is several ports, is not built yet"
                hint = f"or no copies on plane {each.ports_of}"
                path = ("hosts", group, "nics", plane, "ports_of")
                yield Finding(path, what, "NIC ports of this plane's own", str(each.ports_of), hint, also=also)

"""Rules of planes that depend on their kind: which keys go with it, and how its hosts may be attached."""

from collections.abc import Iterator, Mapping

from nornir_tasks.design.demand.kinds import PlaneKind
from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import TREE


def by_kind(intent: Intent, kinds: Mapping[str, PlaneKind]) -> Iterator[Finding]:
    """Every plane of a kind that there is."""
    for name, plane in intent.planes.items():
        kind = kinds.get(name if plane.kind is None else plane.kind)
        if kind is not None:
            path: Path = ("planes", name)
            yield from independent(
                _transport(path, plane.transport, kind, kinds),
                _gpus(path, plane.link, kind),
                _out_of_band(path, plane.fabric, intent, kind, kinds),
            )


def _out_of_band(
    path: Path, fabric: str, intent: Intent, kind: PlaneKind, kinds: Mapping[str, PlaneKind]
) -> Iterator[Finding]:
    """Its switches are its own: what they carry is how all others are reached."""
    if fabric not in intent.fabrics:
        return
    design, also = intent.fabrics[fabric].design, ("fabrics", fabric, "design")
    if kind.is_out_of_band and design != TREE:
        what, expected = "an out-of-band plane on switches that carry others", "a fabric with design: tree"
        yield Finding((*path, "fabric"), what, expected, f"design: {design}", also=also)
    if design == TREE and not kind.is_out_of_band:
        known = ", ".join(name for name, each in sorted(kinds.items()) if each.is_out_of_band)
        what, expected = "a tree carries an out-of-band plane alone", f"kind: {known}, or a fabric of another design"
        yield Finding((*path, "fabric"), what, expected, fabric, also=also)


def _transport(path: Path, transport: str | None, kind: PlaneKind, kinds: Mapping[str, PlaneKind]) -> Iterator[Finding]:
    if kind.has_transport and transport is None:
        hint = "tcp: NFS, S3, NVMe/TCP over a bond; rdma: NVMe-oF, NFS over RDMA, over two links or a bond of one NIC"
        yield Finding(path, "a plane of this kind without a transport", "transport: tcp or rdma", hint=hint)
    if not kind.has_transport and transport is not None:
        known = ", ".join(name for name, each in sorted(kinds.items()) if each.has_transport)
        what, expected = "a transport of a plane of another kind", f"kind: {known}, or no transport"
        yield Finding((*path, "transport"), what, expected, transport)


def _gpus(path: Path, link: str, kind: PlaneKind) -> Iterator[Finding]:
    if kind.joins_gpus and link == "bond":
        hint = "a bond hides rails from NCCL, and one flow never uses more than one of its ports"
        yield Finding((*path, "link"), "GPUs' NIC ports in a bond", "p2p, subnet/N or svi", "bond", hint)

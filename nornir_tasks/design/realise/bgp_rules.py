"""BGP of one switch: what is refused, and what an OS makes of the rest."""

from collections.abc import Iterator
from dataclasses import replace

from nornir_tasks.design.config.bgp import Bgp, BgpVrf, PeerGroup
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialConfig
from nornir_tasks.design.realise.port_profiles import Note
from nornir_tasks.errors import Problem


def problems(device: str, intended: PartialConfig) -> Iterator[Problem]:
    """Sessions and networks where the intent sets no ASN, or in a VRF the router-id."""
    if intended.asn is None:
        if intended.neighbors or intended.networks:
            hint = "the fabric sets the ASN of its switches"
            yield Problem(device, "BGP is wanted, but no owner sets the ASN", hint=hint)
        return
    there = intended.vrfs or {}
    needed = {vrf for vrf, _ in intended.neighbors or {} if vrf is not None}
    needed |= {name for name, each in there.items() if each.networks}
    for name in sorted(needed):
        if name in there and there[name].router_id is None:
            hint = "the plane of a VRF sets the router-id of its switches there"
            what = "BGP is wanted in a VRF, but no owner sets the router-id there"
            yield Problem(f"{device} VRF {name}", what, hint=hint)


def within(intended: PartialConfig, capabilities: Capabilities, system: str, note: Note) -> Bgp | None:
    """As the OS has it. ``system``: its release and ASIC, for the operator; ``note`` is told what is adjusted."""
    if intended.asn is None:
        return None
    groups = (intended.peer_groups or {}).values()
    installed = intended.wait_for_install is True and capabilities.has_update_waits
    converged = intended.wait_for_convergence is True and capabilities.has_update_waits
    return Bgp(
        asn=intended.asn,
        router_id=intended.router_id or "",
        maximum_paths=intended.maximum_paths or 1,
        multipath_relax=intended.multipath_relax is True,
        graceful_restart_helper_only=intended.graceful_restart_helper_only is True,
        log_neighbor_changes=intended.log_neighbor_changes is True,
        networks=tuple(intended.networks or ()),
        aggregates=tuple(intended.aggregates or ()),
        peer_groups=tuple(_peer_group(group, capabilities, system, note) for group in groups),
        neighbors=tuple((intended.neighbors or {}).values()),
        vrfs=tuple(
            BgpVrf(name, each.router_id, each.maximum_paths or 1, tuple(each.networks or ()), installed, converged)
            for name, each in (intended.vrfs or {}).items()
            if each.router_id is not None
        ),
        validators=tuple((intended.validators or {}).values()),
        wait_for_install=installed,
        wait_for_convergence=converged,
    )


def _peer_group(intended: PeerGroup, known: Capabilities, system: str, note: Note) -> PeerGroup:
    adjusted = replace(
        intended,
        connect_retry_s=intended.connect_retry_s if known.has_connect_retry else None,
        advertisement_interval_s=intended.advertisement_interval_s if known.has_advertisement_interval else None,
        prefix_restart_min=intended.prefix_restart_min if known.has_prefix_restart else None,
    )
    for field in ("connect_retry_s", "advertisement_interval_s", "prefix_restart_min"):
        what = f"bgp.peer_groups.{intended.name}.{field}"
        note(what, getattr(intended, field), getattr(adjusted, field), f"{system} has no such setting")
    return adjusted

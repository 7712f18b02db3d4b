"""What the lab site's switches would show if all were as designed, and ways to change one field of it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from nornir_tasks.checks.evidence import Evidence, Finding
from nornir_tasks.checks.suite import Report, judge
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.qos import PortProfile
from nornir_tasks.design.config.vrfs import RouteKey
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.platforms.observed import BgpSession, LldpNeighbor, Observed, PortQos, PortState
from nornir_tasks.usecases.site import SiteDesign, load, select
from nornir_tasks.usecases.validate import far_ends
from tests.unit.checks.good_switch import GOOD

LEAVES = ("leaf-g1-r0", "leaf-g1-r1")
"""One of EOS, one of NX-OS."""
SWITCHES = (*LEAVES, "spine-1")


@cache
def lab() -> SiteDesign:
    return load("lab-rails")


@cache
def rendered() -> dict[str, Wanted]:
    return dict(select(lab()))


@cache
def clean() -> Evidence:
    """Every switch as wanted."""
    return as_wanted(lab())


def as_wanted(site: SiteDesign) -> Evidence:
    """A site's switches when all is as designed."""
    wanted = {each.config.name: each.config for each in site.realised()}
    return Evidence(
        network=site.network,
        wanted=wanted,
        running=dict(wanted),
        changes=dict.fromkeys(wanted, ()),
        observed=as_observed(site.network, wanted),
        far=far_ends(site.network),
        unreachable={},
    )


def as_observed(network: Network, wanted: Mapping[str, DeviceConfig]) -> dict[str, Observed]:
    """What switches show that all run what is wanted."""
    return {name: _observed(network, wanted, config) for name, config in wanted.items()}


def _observed(network: Network, wanted: Mapping[str, DeviceConfig], config: DeviceConfig) -> Observed:
    far = far_ends(network)
    assert config.qos is not None
    assert config.bgp is not None
    profiles = {profile.name: profile for profile in config.qos.profiles}
    cabled = [(port.name, far[config.name, port.name]) for port in config.interfaces if (config.name, port.name) in far]
    by_code = {code: each.priority for each in config.qos.classes for code in each.dscp}
    return Observed(
        device=config.name,
        **GOOD,
        ports=tuple(_port(config, each) for each in config.interfaces),
        lldp=tuple(LldpNeighbor(port, end.device, end.port) for port, end in cabled),
        bgp=tuple(BgpSession(each.peer, each.remote_as, True, "established", 1) for each in config.bgp.neighbors),
        routes=tuple(_routes(wanted, config)),
        qos=tuple(
            _port_qos(each.name, profiles[each.qos_profile])
            for each in config.interfaces
            if each.qos_profile is not None
        ),
        dscp_to_priority=tuple(by_code[code] for code in range(64)),
    )


def _port_qos(name: str, profile: PortProfile) -> PortQos:
    marks = tuple((queue.number, queue.ecn) for queue in profile.queues if queue.ecn is not None)
    return PortQos(name, True, profile.pfc_priorities, profile.watchdog, marks)


def _port(config: DeviceConfig, each: Interface) -> PortState:
    """Cumulus Linux shows of every port whether it advertises itself."""
    advertises_ms = (each.ra_interval_ms or 0) if config.os == "nvue" else None
    return PortState(each.name, each.enabled, each.enabled, each.mtu_bytes, advertises_ms)


def _routes(wanted: Mapping[str, DeviceConfig], config: DeviceConfig) -> Iterable[tuple[RouteKey, int]]:
    """The lab in plain words: a leaf reaches another leaf over both spines, its neighbours over the one link it has."""
    for name, other in wanted.items():
        assert other.bgp is not None
        tiers = {config.name.partition("-")[0], name.partition("-")[0]}
        if name != config.name and tiers != {"spine"}:
            yield from (((None, prefix), 2 if tiers == {"leaf"} else 1) for prefix in other.bgp.networks)


def fabric_port(device: str) -> str:
    """The first port with a switch at its other end."""
    return next(port for (name, port), end in sorted(clean().far.items()) if name == device and not end.is_host)


def host_port(device: str) -> str:
    """The first port with a host at its other end."""
    return next(port for (name, port), end in sorted(clean().far.items()) if name == device and end.is_host)


def seen(device: str, **changes: Any) -> Evidence:
    """One switch shows something else."""
    evidence = clean()
    return replace(evidence, observed={**evidence.observed, device: replace(evidence.observed[device], **changes)})


def row(device: str, table: str, key: str, **changes: Any) -> Evidence:
    """One row of what a switch shows has another value; no changes: the row is gone."""
    rows = getattr(clean().observed[device], table)
    (mine,) = [
        each for each in rows if key in (getattr(each, "name", None) or getattr(each, "port", None), _peer(each))
    ]
    new = (replace(mine, **changes),) if changes else ()
    return seen(device, **{table: tuple(part for each in rows for part in (new if each is mine else (each,)))})


def _peer(each: object) -> str | None:
    return each.address if isinstance(each, BgpSession) else None


def designed(device: str, **changes: Any) -> Evidence:
    """The intent asks something else of one switch; all switches still show the old."""
    evidence = clean()
    return replace(evidence, wanted={**evidence.wanted, device: replace(evidence.wanted[device], **changes)})


def designed_port(device: str, port: str, **changes: Any) -> Evidence:
    """The intent asks something else of one port."""
    ports = clean().wanted[device].interfaces
    return designed(device, interfaces=tuple(replace(each, **changes) if each.name == port else each for each in ports))


def unlike(evidence: Evidence, verdict: str = "fail") -> tuple[str, list[Finding]]:
    """The one check whose verdict is this, and its findings; every other check must be content."""
    report = judge(evidence)
    bad = [*report.failed, *report.undecided]
    assert {str(each.verdict) for each in bad} == {verdict}, [str(each) for each in bad]
    (check,) = {each.check for each in bad}
    return check, bad


def report() -> Report:
    """The clean fabric judged."""
    return judge(clean())

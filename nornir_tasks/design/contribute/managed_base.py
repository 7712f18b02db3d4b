"""Base configuration: what the intent manages of it on the switches of each fabric, and in the terms of each OS."""

from collections.abc import Iterable, Iterator, Mapping

from nornir_tasks.design.config.base import BASE_SECTIONS, NO_BASE, Base, BaseSection, ManagementPort, Server
from nornir_tasks.design.contribute import lockout, managed_aaa, managed_accounts, managed_reach, managed_snmp
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import SwitchBase
from nornir_tasks.design.model.system_facts import FABRIC_LIST, BaseGap
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.keys.base import BaseChoice, BaseIntent
from nornir_tasks.intent.keys.site import Intent


def by_fabric(intent: Intent) -> Mapping[str, BaseIntent]:
    """Fabric -> what is managed there: its own, else the site's. Fabrics where nothing is are not in it."""
    names = [*intent.fabrics]
    if intent.boundary is not None and intent.boundary.edge is not None:
        names.append(intent.boundary.edge.name_prefix)
    found = {name: _of_fabric(intent, name) for name in names}
    return {name: each for name, each in found.items() if isinstance(each, BaseIntent)}


def _of_fabric(intent: Intent, name: str) -> BaseChoice | None:
    """What its switches have; edge routers are no fabric of the intent."""
    fabric = intent.fabrics.get(name)
    return intent.base if fabric is None or fabric.base is None else fabric.base


def check(network: Network, intent: Intent) -> None:
    """Raises DesignError where a management port is managed without an address, or a list locks an operator out."""
    findings: list[Finding] = []
    for name, base in network.base.items():
        path = (*(("fabrics", name) if intent.has_own_base(name) else ()), "base")
        findings += lockout.findings(network, base, path)
        devices = [each for each in network.devices if each.fabric == name]
        findings += _not_on_all(devices, base, path)
        without = [each.name for each in devices if each.name not in network.management]
        if base.management and without:
            more = f" and {len(without) - 1} more" if len(without) > 1 else ""
            findings.append(
                Finding(
                    (*path, "management"),
                    f"the management ports of fabric {name} have no address",
                    "a plane of kind oob whose fabric joins the management port of each switch",
                    f"{without[0]}{more} without one",
                    "add such a plane, or leave management out: then it stays as each switch has it",
                )
            )
    if findings:
        raise DesignError(intent.marks.problems(findings))


def _gaps(base: BaseIntent, capabilities: Capabilities) -> Iterator[tuple[BaseGap, object]]:
    """The keys that this switch cannot have as they are, and what they say."""
    for gap in capabilities.base_gaps:
        value: object = base
        for name in gap.key.split("."):
            value = getattr(value, name, None)
        if value and value != gap.besides:
            yield gap, value


def _not_on_all(devices: Iterable[Device], base: BaseIntent, path: Path) -> Iterator[Finding]:
    """One for each key and reason, with the switches that cannot have it."""
    found: dict[BaseGap, list[str]] = {}
    for each in devices:
        for gap, _ in _gaps(base, each.capabilities):
            found.setdefault(gap, []).append(f"{each.name} ({each.os} {each.release})")
    for gap, names in found.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield Finding((*path, *gap.key.split(".")), gap.what, gap.expected, f"{names[0]}{more}", gap.hint)


def of_switch(network: Network, device: Device) -> SwitchBase | None:
    """What is managed of one switch, with what the design knows beside it; None: nothing is."""
    base = network.base.get(device.fabric)
    if base is None:
        return None
    pools = network.fabric_of(device).pools
    links = tuple(pools[name] for name in ("links", "loopback") if name in pools) if base.has_fabric_list else ()
    return SwitchBase(base, network.management.get(device.name), links)


def sections(base: BaseIntent | None, management: ManagementAddress | None = None) -> frozenset[BaseSection]:
    """The sections that are managed on a switch, whose management port has this address.

    A section is managed where the intent has the key of its name; of the others it is said here.
    """
    if base is None:
        return frozenset()
    others: dict[BaseSection, object] = {
        "radius": base.aaa and base.aaa.radius,
        "api address": base.api and management,
        "control": base.management_vrf and base.control_plane,
        "control fabric": base.has_fabric_list,
    }
    return frozenset(each for each in BASE_SECTIONS if others.get(each) or getattr(base, each, None) is not None)


def vrf_of(base: BaseIntent | None, capabilities: Capabilities) -> str | None:
    """The management VRF by the name that the switch has for it, which on most systems is the system's own."""
    if base is None or base.management_vrf is None:
        return None
    return capabilities.management_vrf or base.management_vrf


def within(base: SwitchBase | None, device: str, capabilities: Capabilities) -> Base:
    """In the terms of this switch's OS: a management VRF has a name of its own on most."""
    if base is None:
        return NO_BASE
    found = base.settings
    vrf = vrf_of(found, capabilities)
    at = base.management if found.management else None
    names, time, log = (
        tuple(Server(str(each), vrf) for each in servers or ())
        for servers in (found.dns and found.dns.servers, found.ntp, found.syslog)
    )
    return Base(
        hostname=device if found.hostname else None,
        banner=found.banner,
        timezone=found.timezone,
        management=ManagementPort(vrf, at.interface, at.gateway) if vrf and at else None,
        name_servers=names,
        domain=found.dns.domain if found.dns else None,
        time_servers=time,
        log_servers=log,
        accounts=managed_accounts.within(found, capabilities),
        tacacs=managed_aaa.tacacs_within(found, vrf, capabilities),
        radius=managed_aaa.radius_within(found, vrf, capabilities),
        snmp=managed_snmp.within(found, vrf, device, capabilities),
        reach=managed_reach.within(base, vrf, capabilities),
    )


def problems(device: str, base: SwitchBase | None, capabilities: Capabilities) -> Iterator[Problem]:
    """What of the base configuration of one switch it cannot be configured with."""
    if base is None:
        return
    found = base.settings
    if found.management and (base.management is None or found.management_vrf is None):
        what = "its management port is managed, and has no address in a management VRF"
        yield Problem(device, what, "an address, and a default route, of an out-of-band plane")
    for gap, value in _gaps(found, capabilities):
        if gap.key == FABRIC_LIST:
            continue  # a switch that takes none gets none: an intent that asks for one is refused before (``check``)
        yield Problem(device, gap.what, gap.expected, value if isinstance(value, str) else "", gap.hint)

"""What device plug-ins offer to pods: which NIC ports are behind a resource."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from nornir_tasks.checks.manifests import whole_ports
from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Asks, Judged, Sheet
from nornir_tasks.checks.manifests.objects import Manifest, as_number, at, from_json, items, texts
from nornir_tasks.checks.manifests.scopes import BY_LABEL, judge_policies, scope_of
from nornir_tasks.checks.manifests.scopes import NODE_POLICY as BY_NODE
from nornir_tasks.checks.manifests.whole_ports import VENDOR
from nornir_tasks.intent.core.findings import Path

POLICY, NODE_POLICY, CONFIG_MAP = "NicClusterPolicy", "SriovNetworkNodePolicy", "ConfigMap"
SRIOV_CONFIG: Path = ("spec", "sriovDevicePlugin", "config")
SHARED_CONFIG: Path = ("spec", "rdmaSharedDevicePlugin", "config")
REMEDY = "one resource for each rail, chosen by the rail's interface (nornir export k8s-rdma)"
SHARED_PREFIX = "rdma"
"""Of resources of the shared device plug-in, where its configuration has no other (from memory)."""
RESOURCE_NAME = re.compile(r"[A-Za-z0-9_-]+")
"""As the SR-IOV device plug-in takes it (tests/corpus/kubernetes/device_plugin.tsv)."""
NO_PORTS = "neither interface nor PCI address is named"


@dataclass(frozen=True, slots=True)
class Resource:
    """What pods may ask for."""

    name: str
    """Without what stands before the slash."""
    rails: frozenset[int]
    manifest: Manifest
    path: Path
    prefix: str = ""
    """What stands before the slash; empty: not known."""


@dataclass
class Devices:
    """All resources of a cluster, and what was judged of them."""

    intended: Intended
    resources: dict[str, Resource]
    results: list[Judged]
    has_plugin: bool = False
    """Is a device plug-in's configuration among the objects?"""
    split: frozenset[int] = frozenset()
    """Rails whose ports the SR-IOV operator makes virtual functions of."""

    def find(self, name: str) -> Resource | None:
        """The resource of this name; None where no plug-in of these objects offers it."""
        prefix, _, base = name.rpartition("/")
        found = self.resources.get(base)
        return None if found is None or (prefix and found.prefix and prefix != found.prefix) else found

    def rails_of(self, name: str) -> frozenset[int]:
        """The rails behind a resource; none where no plug-in of these objects offers it."""
        found = self.find(name)
        return frozenset() if found is None else found.rails


def find_devices(manifests: Iterable[Manifest], intended: Intended) -> Devices:
    """The resources of all device plug-ins."""
    devices, every = Devices(intended, {}, []), list(manifests)
    devices.results += judge_policies(every, intended)
    for manifest in sorted(every, key=lambda each: each.kind != NODE_POLICY):
        sheet = Sheet(manifest)
        if manifest.kind == NODE_POLICY:
            _node_policy(sheet, devices)
        for path, text in _configurations(manifest):
            _configuration(sheet, path, text, devices)
        devices.results += sheet.results
    if devices.has_plugin:
        devices.results += _all_rails(devices)
    return devices


def _configurations(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """Texts that configure device plug-ins."""
    if manifest.kind in {POLICY, BY_NODE}:
        found = [(path, manifest.value(*path)) for path in (SRIOV_CONFIG, SHARED_CONFIG)]
    elif manifest.kind == CONFIG_MAP:
        data = manifest.value("data")
        texts_of = data.items() if isinstance(data, Mapping) else ()
        found = [(("data", key), text) for key, text in texts_of if _is_configuration(text)]
    else:
        return
    yield from ((path, text) for path, text in found if isinstance(text, str))


def _is_configuration(text: object) -> bool:
    return isinstance(text, str) and ('"resourceList"' in text or '"configList"' in text)


def _configuration(sheet: Sheet, path: Path, text: str, devices: Devices) -> None:
    config = from_json(text)
    if config is None:
        asks = Asks('{"resourceList": [...]}', devices.intended.plane_at, "mend the JSON")
        sheet.failed("rail", path, "the device plug-in cannot read this: it is no JSON", text[:40], asks)
        return
    scope = scope_of(sheet.manifest, devices.intended)
    if not scope.groups & {each.name for each in devices.intended.pods.groups}:
        return
    devices.has_plugin = True
    _sriov(sheet, path, items(at(config, "resourceList")), devices)
    for entry in items(at(config, "configList")):
        name, prefix = str(at(entry, "resourceName")), str(at(entry, "resourcePrefix") or SHARED_PREFIX)
        rails = _rails(sheet, path, name, _objects(entry), devices.intended)
        _add(devices, Resource(name, rails, sheet.manifest, path, prefix))


def _objects(entry: object) -> list[Mapping[str, object]]:
    """Selectors of a resource: one object, or several."""
    selectors = at(entry, "selectors")
    return [each for each in (items(selectors) or (selectors,)) if isinstance(each, Mapping)]


def _sriov(sheet: Sheet, path: Path, entries: Iterable[object], devices: Devices) -> None:
    """What the SR-IOV device plug-in offers, in the order of its configuration."""
    intended = devices.intended
    named: dict[str, tuple[str, list[Mapping[str, object]]]] = {}
    for entry in entries:
        name, selectors = str(at(entry, "resourceName")), _objects(entry)
        prefix = str(at(entry, "resourcePrefix") or "")
        wrong = "" if selectors else "no selectors: the plug-in leaves it out"
        if f"{prefix}/{name}" in named:
            wrong = "a second of this name: the plug-in ends"
        elif not RESOURCE_NAME.fullmatch(name):
            wrong = "a name with other characters than letters, digits, _ and -: the plug-in ends"
        if wrong:
            asks = Asks("one for each rail", intended.plane_at, REMEDY)
            sheet.failed("rail", path, f"resource {name}: {wrong}", name, asks)
            continue
        named[f"{prefix}/{name}"] = name, selectors
        _add(devices, Resource(name, frozenset(), sheet.manifest, path, prefix))
        is_rdma = all(at(each, "isRdma") is True for each in selectors)
        what = f"resource {name}: pods get the interface without its RDMA device"
        asks = Asks(True, intended.plane_at, '"isRdma": true, within selectors')
        if not _is_elsewhere(selectors, intended):
            sheet.compare("rdma", path, is_rdma, what, asks)
    whole = [(full, each) for full, (_, each) in named.items() if not whole_ports.is_of_functions(each)]
    scope = scope_of(sheet.manifest, intended)
    found, unfit = whole_ports.simulate(whole, scope, devices.split, intended), list[str]()
    if not scope.is_certain:
        found, unfit = whole_ports.likely(found)
    for full, (name, selectors) in named.items():
        _put(devices, name, _behind(sheet, path, name, selectors, found.get(full), devices))
    if unfit:
        what = f"fits not {', '.join(unfit)}, and which nodes have this configuration is not in these files"
        sheet.unclear("rail", path, what, BY_LABEL)
        return
    for label, rails in (
        whole_ports.missing(found, intended, scope) if scope.is_certain and len(whole) == len(named) else ()
    ):
        what = f"no resource has {intended.names(rails)} on {label}: no pod gets it"
        asks = Asks("each rail of a host", intended.nics_at(intended.pods.groups[0].name, "at"), BY_LABEL)
        sheet.failed("rail", path, what, f"none for {intended.names(rails)}", asks)


def _is_elsewhere(selectors: Iterable[Mapping[str, object]], intended: Intended) -> bool:
    """Are all ports that are named those of other planes?"""
    names = [each.partition("#")[0] for one in selectors for each in texts(at(one, "pfNames"))]
    return bool(names) and all(each in intended.elsewhere for each in names)


def _behind(
    sheet: Sheet,
    path: Path,
    name: str,
    selectors: list[Mapping[str, object]],
    chosen: list[whole_ports.Chosen] | None,
    devices: Devices,
) -> frozenset[int]:
    """The rails behind a resource: of whole ports by the plug-in's rules, else by names of ports."""
    intended = devices.intended
    if chosen is not None and chosen:
        return whole_ports.judge(sheet, path, name, chosen, intended)
    is_whole = intended.pods.is_p2p and not devices.split
    if chosen is None and is_whole and not _is_elsewhere(selectors, intended):
        keys = [each for one in selectors for key in whole_ports.OF_FUNCTIONS for each in texts(at(one, key))]
        whole_ports.selects_no_port(sheet, path, name, ", ".join(keys), intended)
        return frozenset(intended.by_port[each] for each in keys if each in intended.by_port)
    return _rails(sheet, path, name, selectors, intended)


def _put(devices: Devices, name: str, rails: frozenset[int]) -> None:
    _add(devices, replace(devices.resources[name], rails=rails))


def _add(devices: Devices, resource: Resource) -> None:
    before = devices.resources.get(resource.name)
    rails = resource.rails | (before.rails if before else frozenset())
    devices.resources[resource.name] = replace(resource, rails=rails)


def _rails(
    sheet: Sheet, path: Path, name: str, selectors: Iterable[Mapping[str, object]], intended: Intended
) -> frozenset[int]:
    """The rails behind one resource, judged: there is one, and no other port."""
    names = [
        each.partition("#")[0] for one in selectors for key in ("pfNames", "ifNames") for each in texts(at(one, key))
    ]
    places = [each for one in selectors for key in ("pciAddresses", "rootDevices") for each in texts(at(one, key))]
    vendors = {each.lower() for one in selectors for each in texts(at(one, "vendors"))}
    if vendors and VENDOR not in vendors:
        asks = Asks(VENDOR, intended.nics_at(intended.pods.groups[0].name), f'"vendors": ["{VENDOR}"]')
        sheet.failed("rail", path, f"resource {name}: no NIC of a rail is of this vendor", ", ".join(vendors), asks)
        return frozenset()
    return judge_ports(sheet, path, f"resource {name}", (names, places), intended)


def judge_ports(
    sheet: Sheet, path: Path, subject: str, ports: tuple[list[str], list[str]], intended: Intended
) -> frozenset[int]:
    """The rails of interfaces and PCI addresses, judged: one rail, and no port that is none."""
    names, places = ports
    by_place = {place: rail for group in intended.by_place.values() for place, rail in group.items()}
    found = {each: intended.by_port.get(each) for each in names}
    found |= {each: by_place.get(each.lower()) for each in places}
    rails = frozenset(rail for rail in found.values() if rail is not None)
    unknown = [each for each, rail in found.items() if rail is None]
    every = ", ".join(rail.port for rail in intended.rails)
    if found and unknown and all(each in intended.elsewhere for each in unknown) and not rails:
        sheet.skipped("rail", path, f"{subject}: {unknown[0]} is of {intended.elsewhere[unknown[0]]}")
    elif unknown:
        what = f"{subject}: no rail of the intent is {', '.join(unknown)}"
        asks = Asks(f"one of {every}", intended.nics_at(intended.pods.groups[0].name), REMEDY)
        sheet.failed("rail", path, what, ", ".join(unknown), asks)
    elif len(rails) == 1:
        sheet.passed("rail", path, f"{subject} is {intended.names(rails)}")
    elif len(intended.rails) > 1:
        what = f"{subject}: a pod gets a port of any of {len(rails) or len(intended.rails)} rails, whatever its network"
        shown = intended.names(rails) if rails else NO_PORTS
        asks = Asks(f"one of {every}", intended.nics_at(intended.pods.groups[0].name), REMEDY)
        sheet.failed("rail", path, what, shown, asks)
    return rails


def _node_policy(sheet: Sheet, devices: Devices) -> None:
    """SriovNetworkNodePolicy: the ports that are split, their MTU, the resource of their virtual functions."""
    intended, selector = devices.intended, sheet.manifest.value("spec", "nicSelector")
    path: Path = ("spec", "nicSelector")
    name = str(sheet.manifest.value("spec", "resourceName"))
    rails = _rails(sheet, path, name, [selector if isinstance(selector, Mapping) else {}], intended)
    is_chosen = any(items(at(selector, key)) for key in ("pfNames", "rootDevices"))
    if not rails and is_chosen:
        return
    devices.has_plugin = True
    if (
        as_number(sheet.manifest.value("spec", "numVfs"))
        and sheet.manifest.value("spec", "externallyManaged") is not True
    ):
        devices.split |= rails
    _add(devices, Resource(name, rails, sheet.manifest, ("spec", "resourceName")))
    mtu = as_number(sheet.manifest.value("spec", "mtu"))
    what = f"MTU of the ports: pods' packets of {intended.mtu_bytes} bytes do not fit, or the host's MTU is changed"
    if mtu is not None:
        sheet.compare(
            "mtu", ("spec", "mtu"), mtu, what, Asks(intended.mtu_bytes, intended.mtu_at, f"mtu: {intended.mtu_bytes}")
        )
    else:
        sheet.unclear("mtu", ("spec",), "the operator leaves the MTU of the ports alone", f"mtu: {intended.mtu_bytes}")
    is_rdma = sheet.manifest.value("spec", "isRdma") is True
    what = "pods get virtual functions without RDMA devices"
    sheet.compare("rdma", ("spec", "isRdma"), is_rdma, what, Asks(True, intended.plane_at, "isRdma: true"))
    link = str(sheet.manifest.value("spec", "linkType") or "eth").lower()
    sheet.compare("link", ("spec", "linkType"), link, "no Ethernet", Asks("eth", intended.plane_at, "linkType: eth"))


def _all_rails(devices: Devices) -> list[Judged]:
    """Is every rail offered by a resource of its own?"""
    intended = devices.intended
    single = {rail for each in devices.resources.values() if len(each.rails) == 1 for rail in each.rails}
    behind = {rail for each in devices.resources.values() for rail in each.rails}
    missing = set(range(len(intended.rails))) - behind
    first = next(iter(devices.resources.values()), None)
    if first is None or not single or not missing:
        return []
    sheet = Sheet(first.manifest)
    what = f"no resource has {intended.names(missing)}: no pod gets it"
    asks = Asks(intended.names(range(len(intended.rails))), intended.nics_at(intended.pods.groups[0].name), REMEDY)
    sheet.failed("rail", first.path, what, intended.names(behind), asks)
    return sheet.results

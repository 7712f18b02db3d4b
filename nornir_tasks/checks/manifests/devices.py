"""What device plug-ins offer to pods: which NIC ports are behind a resource."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Asks, Judged, Sheet
from nornir_tasks.checks.manifests.objects import Manifest, as_number, at, from_json, items, texts
from nornir_tasks.intent.findings import Path

POLICY, NODE_POLICY, CONFIG_MAP = "NicClusterPolicy", "SriovNetworkNodePolicy", "ConfigMap"
SRIOV_CONFIG: Path = ("spec", "sriovDevicePlugin", "config")
SHARED_CONFIG: Path = ("spec", "rdmaSharedDevicePlugin", "config")
REMEDY = "one resource for each rail, chosen by the rail's interface (nornir export k8s-rdma)"
VENDOR = "15b3"
"""PCI vendor ID of the NICs that these operators know (tests/corpus/kubernetes)."""
SHARED_PREFIX = "rdma"
"""Of resources of the shared device plug-in, where its configuration has no other (from memory)."""
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
    devices = Devices(intended, {}, [])
    for manifest in manifests:
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
    if manifest.kind == POLICY:
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
    devices.has_plugin = True
    entries = [(each, True) for each in items(at(config, "resourceList"))]
    entries += [(each, False) for each in items(at(config, "configList"))]
    for entry, is_sriov in entries:
        name = str(at(entry, "resourceName"))
        selectors = [each for each in (items(at(entry, "selectors")) or (at(entry, "selectors"),)) if each]
        rails = _rails(sheet, path, name, selectors, devices.intended)
        prefix = at(entry, "resourcePrefix") or ("" if is_sriov else SHARED_PREFIX)
        _add(devices, Resource(name, rails, sheet.manifest, path, str(prefix)))
        if is_sriov and rails:
            is_rdma = any(at(each, "isRdma") is True for each in selectors) or at(entry, "isRdma") is True
            what = f"resource {name}: pods get the interface without its RDMA device"
            sheet.compare("rdma", path, is_rdma, what, Asks(True, devices.intended.plane_at, '"isRdma": true'))


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

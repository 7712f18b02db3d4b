"""Networks that pods are attached to: one rail each, with its MTU, untagged, with addresses of the same rail."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from nornir_tasks.checks.manifests.addresses import (
    Given,
    address,
    judge_gateway,
    judge_given,
    judge_routes,
    network,
    span,
    usable,
    without,
)
from nornir_tasks.checks.manifests.devices import Devices, judge_ports
from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Asks, Judged, Sheet
from nornir_tasks.checks.manifests.objects import (
    Manifest,
    as_number,
    at,
    from_json,
    items,
    plugins,
    texts,
)
from nornir_tasks.checks.manifests.pools import SPIDER, Pools
from nornir_tasks.intent.core.findings import Path

RESOURCE_NAME = "k8s.v1.cni.cncf.io/resourceName"
"""Annotation of a NetworkAttachmentDefinition."""
ON_A_PORT = ("macvlan", "ipvlan", "vlan")
"""CNI plug-ins that name the host's interface."""
OF_A_DEVICE = ("host-device", "sriov", "ib-sriov")
"""CNI plug-ins that take the device of a resource."""
POOL_KINDS = {"cidrpool": "CIDRPool", "ippool": "IPPool"}
"""``poolType`` of nv-ipam -> kind; it takes ippool where nothing is said."""


@dataclass
class Attachment:
    """One network, and what it was found to be of."""

    sheet: Sheet
    devices: Devices
    pools: Pools
    rails: dict[str, frozenset[int]] = field(default_factory=dict)
    """What says so, for a message -> rails."""
    is_elsewhere: bool = False
    """Is it on an interface of something else?"""

    @property
    def intended(self) -> Intended:
        return self.devices.intended


def judge_attachments(
    manifests: Iterable[Manifest], devices: Devices, pools: Pools
) -> Iterator[tuple[Manifest, frozenset[int], list[Judged]]]:
    """Every network with the rails that it is of, and what was judged of it."""
    judges: Mapping[str, Callable[[Attachment], None]] = {
        "HostDeviceNetwork": _host_device,
        "MacvlanNetwork": _macvlan,
        "NetworkAttachmentDefinition": _definition,
        "SriovNetwork": _sriov,
        "SpiderMultusConfig": _spider,
    }
    for manifest in manifests:
        if manifest.kind not in judges:
            continue
        network_of = Attachment(Sheet(manifest), devices, pools)
        judges[manifest.kind](network_of)
        rails = _one_rail(network_of)
        yield manifest, rails, network_of.sheet.results


def _one_rail(found: Attachment) -> frozenset[int]:
    """Do interface, resource and pool name one rail?"""
    sheet, intended = found.sheet, found.intended
    known = {what: rails for what, rails in found.rails.items() if rails}
    every = frozenset[int]().union(*known.values())
    if found.is_elsewhere or any(each.verdict == "fail" and each.check == "rail" for each in sheet.results):
        return every
    path: Path = ("spec",)
    if not known:
        what = "which rail it is of cannot be told: interface, resource or pool are not among these objects"
        sheet.unclear("rail", path, what, "audit the device plug-in's policy and the pools together with it")
    elif len(every) > 1 and all(len(rails) == 1 for rails in known.values()):
        words = "; ".join(f"{what}: {intended.names(rails)}" for what, rails in known.items())
        where = intended.nics_at(intended.pods.groups[0].name)
        what = "the parts of one network are of different rails: the pod's addresses are on another leaf than its port"
        sheet.failed("rail", path, what, words, Asks("one rail", where, "take port, resource and pool of one rail"))
    elif len(every) == 1:
        sheet.passed("rail", path, f"{intended.names(every)} by {', '.join(known)}")
    return every


def _resource(found: Attachment, path: Path, name: object) -> None:
    """The resource that its pods ask for."""
    devices = found.devices
    if not isinstance(name, str) or not name:
        asks = Asks("the rail's resource", found.intended.plane_at, "name it")
        found.sheet.failed("rail", path, "no resource: the network has no device to give to a pod", "nothing", asks)
        return
    where = devices.find(name)
    if where is not None:
        source = f"{name} ({where.manifest.where(*where.path)})"
        found.rails[source] = devices.rails_of(name)
    elif devices.has_plugin:
        offered = ", ".join(sorted(devices.resources)) or "none"
        what = "no device plug-in of these objects offers this resource: pods that ask for it wait for ever"
        asks = Asks(f"one of {offered}", found.intended.plane_at, "name the rail's resource")
        found.sheet.failed("rail", path, what, name, asks)


def _mtu(found: Attachment, path: Path, value: object, *, inherits: bool) -> None:
    """``inherits``: without a value the interface has the MTU of the host's."""
    intended, number = found.intended, as_number(value)
    asks = Asks(intended.mtu_bytes, intended.mtu_at, f"mtu: {intended.mtu_bytes}")
    if value is None or (inherits and number == 0):
        if inherits:
            found.sheet.passed("mtu", path, f"the host interface's, which is {intended.mtu_bytes} by {intended.mtu_at}")
        else:
            what = "nothing here sets the MTU of the interface in the pod"
            found.sheet.unclear("mtu", path, what, f'a plug-in {{"type": "tuning", "mtu": {intended.mtu_bytes}}}')
        return
    larger = number is not None and number > intended.mtu_bytes
    what = (
        "packets of this size are dropped on the way"
        if larger
        else "RDMA falls to a smaller path MTU, TCP to more packets"
    )
    found.sheet.compare("mtu", path, number if number is not None else value, what, asks)


def _vlan(found: Attachment, path: Path, value: object) -> None:
    what = "tagged packets of pods end at the leaf, whose port has no such VLAN"
    asks = Asks(0, found.intended.link_at, "leave the VLAN out")
    if value is not None:
        found.sheet.compare("vlan", path, as_number(value), what, asks)


def _port(found: Attachment, path: Path, names: object) -> None:
    """The host's interface that it is on."""
    every = list(texts(names)) if not isinstance(names, str) else [names]
    if not every:
        return
    if len(every) == 1 and every[0] in found.intended.elsewhere:
        found.is_elsewhere = True
        found.sheet.skipped("rail", path, f"{every[0]} is of {found.intended.elsewhere[every[0]]}")
        return
    rails = judge_ports(found.sheet, path, "its interface", (every, []), found.intended)
    found.rails[f"interface {', '.join(every)}"] = rails


def _host_device(found: Attachment) -> None:
    manifest = found.sheet.manifest
    _resource(found, ("spec", "resourceName"), manifest.value("spec", "resourceName"))
    _ipam(found, ("spec", "ipam"), _ipam_of(found, ("spec", "ipam")))
    _mtu(found, ("spec", "metaPlugins"), _tuned(manifest.value("spec", "metaPlugins")), inherits=False)


def _macvlan(found: Attachment) -> None:
    manifest = found.sheet.manifest
    _port(found, ("spec", "master"), manifest.value("spec", "master"))
    if not found.is_elsewhere:
        _mtu(found, ("spec", "mtu"), manifest.value("spec", "mtu"), inherits=True)
        _ipam(found, ("spec", "ipam"), _ipam_of(found, ("spec", "ipam")))


def _sriov(found: Attachment) -> None:
    manifest = found.sheet.manifest
    _resource(found, ("spec", "resourceName"), manifest.value("spec", "resourceName"))
    _vlan(found, ("spec", "vlan"), manifest.value("spec", "vlan"))
    if (tuned := _tuned(manifest.value("spec", "metaPlugins"))) is not None:
        _mtu(found, ("spec", "metaPlugins"), tuned, inherits=True)
    _ipam(found, ("spec", "ipam"), _ipam_of(found, ("spec", "ipam")))


def _tuned(meta_plugins: object) -> object:
    """The MTU that CNI's ``tuning`` sets; None: no such plug-in, or no MTU."""
    chain = from_json(f"[{meta_plugins}]") if isinstance(meta_plugins, str) else None
    found = (at(each, "mtu") for each in items(chain) if at(each, "type") == "tuning")
    return next((each for each in found if each is not None), None)


def _ipam_of(found: Attachment, path: Path) -> object:
    """A text that is an ``ipam`` of CNI; None where it is none, which is said."""
    text = found.sheet.manifest.value(*path)
    ipam = from_json(text)
    if ipam is None and text is not None:
        asks = Asks('{"type": "nv-ipam", ...}', found.intended.plane_at, "mend the JSON")
        found.sheet.failed("pool", path, "no plug-in can read this: it is no JSON", str(text)[:40], asks)
    return ipam


def _definition(found: Attachment) -> None:
    """NetworkAttachmentDefinition: a CNI configuration."""
    manifest = found.sheet.manifest
    path: Path = ("spec", "config")
    config = from_json(manifest.value(*path))
    if config is None:
        what = (
            "no CNI configuration is in here, so another place has it" if manifest.value(*path) is None else "no JSON"
        )
        found.sheet.unclear("rail", path, what)
        found.is_elsewhere = True
        return
    name = manifest.value("metadata", "annotations", RESOURCE_NAME)
    kind = next((each.get("type") for each, _ in plugins(config)), None)
    if name is not None or (kind in OF_A_DEVICE and not _names_device(config)):
        _resource(found, ("metadata", "annotations"), name)
    _cni(found, path, config)


def _names_device(config: object) -> bool:
    return any(each.get(key) for each, _ in plugins(config) for key in ("device", "pciBusID", "deviceID"))


def _cni(found: Attachment, path: Path, config: object) -> None:
    chain = [each for each, _ in plugins(config)]
    main = chain[0] if chain else {}
    kind = str(main.get("type"))
    if kind in ON_A_PORT:
        _port(found, path, main.get("master"))
    elif kind == "host-device":
        _port(found, path, main.get("device"))
    elif kind not in OF_A_DEVICE:
        found.is_elsewhere = True
        if found.rails:
            found.sheet.unclear("rail", path, f"what CNI plug-in {kind} does is not known here")
        else:
            found.sheet.skipped("rail", path, f"CNI plug-in {kind}: no network of a rail")
    if found.is_elsewhere:
        return
    _vlan(found, path, main.get("vlan", main.get("vlanId")))
    tuned = next((each.get("mtu") for each in chain if each.get("type") == "tuning" and "mtu" in each), None)
    _mtu(found, path, main.get("mtu") if tuned is None else tuned, inherits=kind != "host-device")
    if kind != "host-device" and tuned is not None and main.get("mtu") is not None:
        _mtu(found, path, main.get("mtu"), inherits=True)
    _ipam(found, path, main.get("ipam"))


def _spider(found: Attachment) -> None:
    """SpiderMultusConfig: the part that its ``cniType`` names."""
    manifest = found.sheet.manifest
    kind = str(manifest.value("spec", "cniType") or "custom")
    if kind == "custom":
        config = from_json(manifest.value("spec", "customCNI"))
        if config is None:
            found.sheet.unclear("rail", ("spec", "customCNI"), "no JSON")
            found.is_elsewhere = True
        else:
            _cni(found, ("spec", "customCNI"), config)
        return
    path: Path = ("spec", {"ib-sriov": "ibsriov"}.get(kind, kind))
    part = manifest.value(*path)
    if not isinstance(part, Mapping):
        what = f"cniType is {kind}, and what that should be is not there"
        asks = Asks(f"spec.{kind}", found.intended.plane_at, f"spec.{kind}: {{...}}")
        found.sheet.failed("rail", ("spec", "cniType"), what, "nothing", asks)
        return
    if kind in ON_A_PORT and not part.get("master"):
        asks = Asks("a rail's interface", found.intended.plane_at, f"master: [{found.intended.rails[0].port}]")
        found.sheet.failed("rail", (*path, "master"), "no interface of the host", "nothing", asks)
    _port(found, (*path, "master"), part.get("master"))
    if found.is_elsewhere:
        return
    for key in ("rdmaResourceName", "resourceName"):
        if part.get(key) is not None:
            _resource(found, (*path, key), part.get(key))
    _vlan(found, (*path, "vlanID"), part.get("vlanID"))
    _mtu(found, (*path, "mtu"), part.get("mtu"), inherits=True)
    if not texts(at(part, "ippools", "ipv4")):
        what = "no pool: Spiderpool takes those of the pod, of its namespace, or its default"
        found.sheet.unclear("pool", path, what, "ippools: {ipv4: [...]}")
    for number, name in enumerate(texts(at(part, "ippools", "ipv4"))):
        _pool(found, (*path, "ippools", "ipv4", number), SPIDER, name)


def _ipam(found: Attachment, path: Path, ipam: object) -> None:
    """Where its addresses come from."""
    kind = at(ipam, "type")
    if not isinstance(ipam, Mapping) or not ipam:
        asks = Asks("addresses of the rail", found.intended.pool_at, "name a pool of the rail")
        found.sheet.failed("pool", path, "no addresses: RoCE v2 needs one in the pod", "nothing", asks)
        return
    if kind == "nv-ipam":
        _pool(
            found, path, POOL_KINDS.get(str(at(ipam, "poolType") or "ippool").lower(), "IPPool"), at(ipam, "poolName")
        )
    elif kind in {"whereabouts", "host-local"}:
        ranges = items(at(ipam, "ipRanges")) or items(at(ipam, "ranges")) or (ipam,)
        for each in ranges:
            _own_range(found, path, items(each)[0] if items(each) else each)
        judge_routes(found.sheet, path, at(ipam, "routes"), found.intended)
    elif kind == "static":
        for each in items(at(ipam, "addresses")):
            own = address(at(each, "address"))
            found.rails[f"address {at(each, 'address')}"] = _rails_of(
                None if own is None else found.intended.rail_of(own)
            )
    elif kind != "spiderpool":
        found.sheet.unclear("pool", path, f"addresses are given by {kind}, whose pools are not known here")


def _rails_of(rail: int | None) -> frozenset[int]:
    return frozenset() if rail is None else frozenset({rail})


def _pool(found: Attachment, path: Path, kind: str, name: object) -> None:
    """A pool that is an object of its own."""
    pool = found.pools.get((kind, str(name)))
    if pool is None:
        what = f"{kind} {name} is not among these objects"
        found.sheet.unclear(
            "pool", path, what, "audit the pools together with the networks; if there is none, pods wait"
        )
        return
    source = f"{kind} {name} ({pool.manifest.where('spec')})"
    if pool.rail is not None:
        found.rails[source] = frozenset({pool.rail})
        return
    asks = Asks(f"within {found.intended.whole}", found.intended.pool_at, "name the rail's pool")
    found.sheet.failed("pool", path, f"{source} has addresses of no rail", name, asks)


def _own_range(found: Attachment, path: Path, part: object) -> None:
    """Addresses that the network itself has: given to any node's pods."""
    block = network(at(part, "range") or at(part, "subnet"))
    if block is None:
        found.sheet.unclear("pool", path, "no prefix of IPv4, and rails have no other")
        return
    first, last = (
        at(part, key) or at(part, other) for key, other in (("range_start", "rangeStart"), ("range_end", "rangeEnd"))
    )
    low, high = usable(block)
    whole = span(f"{first or low}-{last or high}")
    gateway = address(at(part, "gateway"))
    taken = [each for text in texts(at(part, "exclude")) if (net := network(text)) for each in ((net[0], net[-1]),)]
    taken += [(gateway, gateway)] if gateway else []
    rail = found.intended.rail_of(block)
    found.rails[f"range {block}"] = _rails_of(rail)
    judge_given(found.sheet, Given(without([whole], taken) if whole else (), None, path), rail, found.intended)
    if gateway and rail is not None:
        hosts = [nic.host for nic in found.intended.rails[rail].nics]
        judge_gateway(found.sheet, path, gateway, hosts, rail, found.intended)

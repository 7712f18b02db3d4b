"""The SR-IOV network device plug-in over a host's NICs, by the rules of tests/corpus/kubernetes/device_plugin.tsv.

It shares no code with the export or the audit, and takes a host's NICs from the text of the intent.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

VENDOR_AND_DEVICE = {"ConnectX-7": ("15b3", "1021"), "ConnectX-8": ("15b3", "1023"), "BlueField-3": ("15b3", "a2dc")}
UNKNOWN = ("15b3", "101d")
"""A NIC whose model the intent leaves out: of the vendor that selectors name, the worst case."""
GLOBAL_PREFIX = "intel.com"
"""Rule ``prefix``."""
BASE_LABELS = {"feature.node.kubernetes.io/pci-15b3.present": "true"}


@dataclass(frozen=True)
class Device:
    """One PCI function of a host, as the plug-in reads it from sysfs."""

    address: str
    plane: str
    rail: int
    vendor: str
    code: str
    interface: str = ""
    driver: str = "mlx5_core"
    link_type: str = "ether"
    is_rdma: bool = True
    acpi_index: str = ""
    pf_name: str = ""
    pf_address: str = ""
    function: int = -1
    functions_made: int = 0
    has_default_route: bool = False


@dataclass(frozen=True)
class Host:
    """A node: its labels, and what is in it."""

    name: str
    labels: Mapping[str, str]
    devices: tuple[Device, ...]


class PluginEndsError(Exception):
    """The plug-in does not start with this configuration."""


def hosts_of(fabric_yml: Path, site: str) -> Iterator[Host]:
    """All hosts of a site that are there, by the text of its intent."""
    intent = yaml.safe_load(fabric_yml.read_text())
    for group, each in intent["hosts"].items():
        for number in range(1, each["count"] + 1):
            name = f"{group}-{number}"
            labels = {**BASE_LABELS, "gpufabric/site": site, "gpufabric/group": group}
            yield Host(name, labels, tuple(_devices(each["nics"], name)))


def _devices(nics: Mapping[str, Any], host: str) -> Iterator[Device]:
    for plane, each in nics.items():
        own = each.get("exceptions", {}).get(host, {})
        for rail, usual in enumerate(each.get("at", ())):
            vendor, code = VENDOR_AND_DEVICE.get(each.get("model"), UNKNOWN)
            name = f"{each.get('port_names', 'rail')}{rail}"
            yield Device(own.get(rail, usual), plane, rail, vendor, code, name)


def with_functions(device: Device, count: int) -> list[Device]:
    """The port once virtual functions are made of it, and these."""
    port = Device(**{**device.__dict__, "functions_made": count})
    bus, _, _ = device.address.rpartition(".")
    made = [
        Device(
            f"{bus}.{number + 1}",
            device.plane,
            device.rail,
            device.vendor,
            "101e",
            f"{device.interface}v{number}",
            pf_name=device.interface,
            pf_address=device.address,
            function=number,
        )
        for number in range(count)
    ]
    return [port, *made]


def offered(config: str, devices: Sequence[Device]) -> dict[str, list[Device]]:
    """Resource -> the devices that pods may ask for. Raises PluginEndsError where the plug-in does not start."""
    entries = [each for each in json.loads(config)["resourceList"] if _objects(each)]
    names = [f"{each.get('resourcePrefix') or GLOBAL_PREFIX}/{each['resourceName']}" for each in entries]
    if len(set(names)) < len(names) or not all(
        re.fullmatch(r"[A-Za-z0-9_-]+", each["resourceName"]) for each in entries
    ):
        raise PluginEndsError(names)
    there = [each for each in devices if not each.functions_made and not each.has_default_route]
    taken: set[str] = set()
    found: dict[str, list[Device]] = {}
    for name, entry in zip(names, entries, strict=True):
        pool: list[Device] = []
        for selectors in _objects(entry):
            for device in there:
                if device.address not in taken and _passes(device, selectors):
                    taken.add(device.address)
                    pool.append(device)
        if pool:
            found[name] = pool
    return found


def _objects(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "selectors" not in entry:
        raise PluginEndsError(entry.get("resourceName"))
    selectors = entry["selectors"]
    return selectors if isinstance(selectors, list) else [selectors]


def _passes(device: Device, selectors: Mapping[str, Any]) -> bool:
    exact = {
        "vendors": device.vendor,
        "devices": device.code,
        "drivers": device.driver,
        "pciAddresses": device.address,
        "acpiIndexes": device.acpi_index,
        "linkTypes": device.link_type,
    }
    if any(selectors.get(key) and value not in selectors[key] for key, value in exact.items()):
        return False
    by_port = {"pfNames": device.pf_name, "rootDevices": device.pf_address}
    if any(selectors.get(key) and not _in(selectors[key], value, device.function) for key, value in by_port.items()):
        return False
    return device.is_rdma or not selectors.get("isRdma")


def _in(words: Iterable[str], value: str, function: int) -> bool:
    """The first word that names the port decides, with its ranges of functions."""
    word = next((each for each in words if each.split("#")[0].lower() == value.lower()), "") if value else ""
    if not word:
        return False
    if "#" not in word:
        return True
    parts = word.split("#")
    if len(parts) != 2:
        return False
    for entry in parts[1].split(","):
        ends = entry.split("-")
        if len(ends) > 2 or not all(each.isdigit() for each in ends):
            return False
        if int(ends[0]) <= function <= int(ends[-1]):
            return True
    return False


def configurations(manifests: Iterable[Mapping[str, Any]], host: Host) -> list[str]:
    """Those of the plug-in on a host: cluster-wide, or by the labels of its node. One at most is right."""
    found = []
    for each in manifests:
        spec = each.get("spec", {})
        if each["kind"] not in {"NicClusterPolicy", "NicNodePolicy"} or "sriovDevicePlugin" not in spec:
            continue
        if each["kind"] == "NicNodePolicy" and not spec.get("nodeSelector", {}).items() <= host.labels.items():
            continue
        found.append(spec["sriovDevicePlugin"]["config"])
    return found


def faults(manifests: Sequence[Mapping[str, Any]], hosts: Iterable[Host], plane: str) -> list[str]:
    """Hosts of a plane without one device for each rail, called as the rail; any host that offers another NIC."""
    return [f"{host.name}: {fault}" for host in hosts for fault in _faults(manifests, host, plane)]


def _faults(manifests: Sequence[Mapping[str, Any]], host: Host, plane: str) -> Iterator[str]:
    configs = configurations(manifests, host)
    rails = {each.rail: each for each in host.devices if each.plane == plane}
    if len(configs) > 1:
        yield f"{len(configs)} device plug-ins"
        return
    found = offered(configs[0], host.devices) if configs else {}
    for resource, devices in found.items():
        yield from (
            f"{resource} offers {each.interface} of plane {each.plane}" for each in devices if each.plane != plane
        )
        own = [each for each in devices if each.plane == plane]
        if len(own) > 1:
            yield f"{resource} is {len(own)} rails"
        yield from (f"{resource} is {each.interface}" for each in own if resource.rpartition("/")[2] != each.interface)
    count = sum(each.plane == plane for devices in found.values() for each in devices)
    if count != len(rails):
        yield f"{count} devices, {len(rails)} rails"

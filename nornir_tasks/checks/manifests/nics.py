"""NicConfigurationTemplate: how NVIDIA's NIC configuration operator marks, pauses and notifies, against the policy.

What the operator does where a template leaves a value out: nic-configuration-operator README.md and
pkg/configuration/configvalidation.go (trust ``dscp``, PFC on priority 3, ToS 0, CNP DSCP 4 with priority 6, congestion
control on all priorities), recorded in tests/corpus/kubernetes.
"""

from collections.abc import Iterable, Iterator, Mapping

from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Asks, Judged, Sheet
from nornir_tasks.checks.manifests.objects import Manifest, as_number, at, items, texts
from nornir_tasks.intent.core.findings import Path

KIND = "NicConfigurationTemplate"
SITE_LABEL, GROUP_LABEL = "gpufabric/site", "gpufabric/group"
TEMPLATE: Path = ("spec", "template")
ROCE: Path = (*TEMPLATE, "roceOptimized")
QOS: Path = (*ROCE, "qos")
RAW: Path = (*TEMPLATE, "rawNvConfig")
DEFAULT_TRUST, DEFAULT_PFC, DEFAULT_TOS = "dscp", "0,0,0,1,0,0,0,0", 0
DEFAULT_MARKING = {"CNP_DSCP": 4, "CNP_802P_PRIO": 6, "ROCE_CC_PRIO_MASK": 255}
"""Of the firmware, where ``roceOptimized`` is enabled and ``rawNvConfig`` has nothing else."""
ECN_BITS = ("Not-ECT", "ECT(1)", "ECT(0)", "CE")


def judge_templates(manifests: Iterable[Manifest], intended: Intended) -> Iterator[Judged]:
    """Each template, and whether together they configure every rail just once."""
    every = list(manifests)
    by_group: dict[str, list[tuple[Manifest, frozenset[int] | None]]] = {}
    for manifest in every:
        sheet = Sheet(manifest)
        covered = _covered(sheet, intended)
        if covered:
            _judge(sheet, intended, frozenset[int]().union(*(each or () for each in covered.values())))
        for group, rails in covered.items():
            by_group.setdefault(group, []).append((manifest, rails))
        yield from sheet.results
    if every:
        for each in intended.pods.groups:
            yield from _once(each.name, by_group.get(each.name, []), every[0], intended)


def _once(
    group: str, templates: list[tuple[Manifest, frozenset[int] | None]], first: Manifest, intended: Intended
) -> Iterator[Judged]:
    """Is every rail of a group's hosts configured by just one template?"""
    sheet = Sheet(templates[0][0] if templates else first)
    rails = frozenset(rail for rail, each in enumerate(intended.rails) if group in each.groups)
    path = ("spec", "nicSelector")
    if any(found is None for _, found in templates):
        why = "which NICs it chooses cannot be told from these files and the intent"
        sheet.unclear("rail", path, f"hosts of group {group}: {why}", "nicType and pciAddresses; at: of the intent")
        yield from sheet.results
        return
    sets = [found or frozenset() for _, found in templates]
    twice = frozenset(rail for rail in rails if sum(rail in each for each in sets) > 1)
    missing = rails - frozenset[int]().union(*sets)
    asks = Asks(intended.names(rails), intended.nics_at(group, "at"), "one template for each NIC, with its PCI address")
    if missing:
        what = f"no template configures these rails of group {group}: the operator leaves their NICs as they are"
        sheet.failed("rail", path, what, f"none for {intended.names(missing)}", asks)
    if twice:
        names = ", ".join(manifest.label for manifest, found in templates if found and found & twice)
        what = f"several templates choose a NIC of group {group} ({names}): the operator then applies none of them"
        sheet.failed("rail", path, what, f"two for {intended.names(twice)}", asks)
    if not missing and not twice:
        sheet.passed("rail", path, f"every rail of group {group} has one template")
    yield from sheet.results


def _covered(sheet: Sheet, intended: Intended) -> dict[str, frozenset[int] | None]:
    """Group of hosts -> rails whose NICs the template chooses; groups that it has nothing of are left out."""
    manifest = sheet.manifest
    labels = manifest.value("spec", "nodeSelector")
    labels = labels if isinstance(labels, Mapping) else {}
    if labels.get(SITE_LABEL, intended.pods.site) != intended.pods.site:
        sheet.skipped("rail", ("spec", "nodeSelector"), f"for nodes of another site: {labels[SITE_LABEL]}")
        return {}
    named = labels.get(GROUP_LABEL)
    groups = [each for each in intended.pods.groups if named in (None, each.name)]
    nic_type = str(manifest.value("spec", "nicSelector", "nicType") or "").lower()
    of_type = [each for each in groups if each.pci_device.lower() in ("", nic_type)]
    if not of_type:
        what = f"no NICs of plane {intended.pods.plane}: nodes {dict(labels) or 'of any label'}, NIC type {nic_type}"
        sheet.skipped("rail", ("spec", "nicSelector"), what)
        return {}
    found = {each.name: _chosen(manifest, each.name, intended) for each in of_type}
    if all(rails is not None and not rails for rails in found.values()):
        what = f"no NIC of plane {intended.pods.plane} is at these PCI addresses"
        sheet.skipped("rail", ("spec", "nicSelector", "pciAddresses"), what)
        return {}
    _addresses(sheet, list(found), intended)
    return found


def _chosen(manifest: Manifest, group: str, intended: Intended) -> frozenset[int] | None:
    """Rails of a group's hosts whose NICs the template chooses."""
    selector = manifest.value("spec", "nicSelector")
    if items(at(selector, "serialNumbers")) or items(at(selector, "partNumbers")):
        return None
    all_rails = frozenset(rail for rail, each in enumerate(intended.rails) if group in each.groups)
    addresses = texts(at(selector, "pciAddresses"))
    if not addresses:
        return all_rails
    places = intended.by_place[group]
    return frozenset(places[each.lower()] for each in addresses if each.lower() in places) if places else None


def _addresses(sheet: Sheet, groups: list[str], intended: Intended) -> None:
    """Is each PCI address that of a rail?"""
    known = {place for group in groups for place in intended.by_place[group]}
    for number, each in enumerate(texts(sheet.manifest.value("spec", "nicSelector", "pciAddresses"))):
        path = ("spec", "nicSelector", "pciAddresses", number)
        if not known:
            return
        if each.lower() in known:
            sheet.passed("rail", path, f"{each} is a rail's")
            continue
        what = "no rail has its NIC there: the operator sets up another NIC for RDMA, or none"
        remedy = "write the PCI addresses of the rails' NICs, and no other"
        sheet.failed(
            "rail", path, what, each, Asks(", ".join(sorted(known)), intended.nics_at(groups[0], "at"), remedy)
        )


def _judge(sheet: Sheet, intended: Intended, rails: frozenset[int]) -> None:
    """Link, marking, pausing and notifications."""
    manifest = sheet.manifest
    if manifest.value("spec", "resetToDefault") is True:
        what = "the operator resets the NICs to their firmware's defaults, and ignores the template"
        sheet.failed("reset", ("spec", "resetToDefault"), what, True, Asks(False, intended.plane_at, "take it out"))
    link = manifest.value(*TEMPLATE, "linkType")
    if link is not None:
        what = "the ports of these NICs would leave the Ethernet that their leaves speak"
        sheet.compare(
            "link", (*TEMPLATE, "linkType"), link, what, Asks("Ethernet", intended.plane_at, "linkType: Ethernet")
        )
    if manifest.value(*TEMPLATE, "spectrumXOptimized", "enabled") is True:
        path = (*TEMPLATE, "spectrumXOptimized")
        sheet.unclear("dscp", path, "marking and pausing are those of a profile that is not in these files")
        return
    is_on = manifest.value(*ROCE, "enabled") is True
    if is_on:
        _qos(sheet, intended)
    else:
        what = "the operator sets neither trust nor PFC nor ToS with this template: they are as the host has them"
        sheet.unclear(
            "dscp", ROCE, what, "roceOptimized: {enabled: true, qos: ...}, or judge the hosts (host_validate)"
        )
    _firmware(sheet, intended, _ports(intended, rails), is_on=is_on)


def _qos(sheet: Sheet, intended: Intended) -> None:
    qos = sheet.manifest.value(*QOS)
    trust, pfc, tos = (at(qos, key) for key in ("trust", "pfc", "tos"))
    unset = " (the operator's, as nothing is said here)"
    paths = {
        key: (*QOS, key) if at(qos, key) is not None else QOS if qos is not None else ROCE
        for key in ("trust", "pfc", "tos")
    }
    trust = DEFAULT_TRUST if qos is None else trust
    asks = Asks("dscp", intended.class_at(intended.roce.name, "dscp"), "trust: dscp")
    sheet.compare("trust", paths["trust"], trust, "NICs would sort packets by VLAN tags, and rails have none", asks)
    _pfc(sheet, paths["pfc"], DEFAULT_PFC if qos is None else str(pfc), intended)
    _tos(sheet, paths["tos"], DEFAULT_TOS if tos is None else tos, "" if tos is not None else unset, intended)
    if (ecn := at(qos, "ecn")) is not None:
        _ecn(sheet, ecn, intended)
    if at(qos, "pauseFrames", "enabled") is True:
        what = "global pause stops all traffic of a port, and switches have PFC on one priority alone"
        asks = Asks(False, intended.class_at(intended.roce.name, "lossless"), "pauseFrames: {enabled: false}")
        sheet.failed("pause", (*QOS, "pauseFrames", "enabled"), what, True, asks)
    if as_number(sheet.manifest.value(*ROCE, "roceMode")) == 1:
        what = "RoCE v1 is not routed: no packet comes past its leaf"
        sheet.failed("mode", (*ROCE, "roceMode"), what, 1, Asks(2, intended.plane_at, "roceMode: 2"))


def _pfc(sheet: Sheet, path: Path, found: str, intended: Intended) -> None:
    lossless = {each.priority for each in intended.qos.classes if each.lossless}
    wanted = ",".join("1" if priority in lossless else "0" for priority in range(8))
    paused = [str(priority) for priority, each in enumerate(found.split(",")) if each == "1"]
    switches = ", ".join(str(each) for each in sorted(lossless)) or "none"
    what = (
        f"NICs pause priority {', '.join(paused) or 'none'}, switches {switches}: one end pauses what the other drops"
    )
    name = next((each.name for each in intended.qos.classes if each.lossless), intended.roce.name)
    sheet.compare("pfc", path, found, what, Asks(wanted, intended.class_at(name, "priority"), f"pfc: {wanted!r}"))


def _tos(sheet: Sheet, path: Path, found: object, why: str, intended: Intended) -> None:
    wanted, number = intended.qos.traffic_class, as_number(found)
    asks = Asks(
        wanted,
        intended.class_at(intended.roce.name, "dscp"),
        f"tos: {wanted} ({byte_in_words(wanted)}: 4 x DSCP and the ECN bits)",
    )
    if number is None or not 0 <= number <= 255:
        sheet.failed("dscp", path, "no byte", found, asks)
        return
    sheet.compare("dscp", path, number, marking_in_words(number, intended) + why, asks)


def marking_in_words(value: int, intended: Intended) -> str:
    """What becomes of RDMA that is marked with this byte."""
    wanted = intended.qos.traffic_class
    given, dscp = intended.class_of(value >> 2), value >> 2
    lead = f"{value} is the DSCP, not the byte: " if value == wanted >> 2 else ""
    text = f"{lead}RDMA leaves with DSCP {dscp}, class {given.name}, priority {given.priority}"
    if given.name != intended.roce.name:
        paused = "switches never pause" if not given.lossless else "is another class's"
        text += f", which {paused}; class {intended.roce.name} has priority {intended.roce.priority}"
    if (value & 3) != (wanted & 3):
        text += f"; {ECN_BITS[value & 3]}: " + (
            "congested switches drop where they would mark" if not value & 3 else "other ECN bits than the policy's"
        )
    return text


def _ecn(sheet: Sheet, ecn: object, intended: Intended) -> None:
    is_on, path = intended.qos.ecn, (*QOS, "ecn")
    asks = Asks(
        is_on, intended.congestion_at, f"ecn: {{enabled: {str(is_on).lower()}, priority: {intended.qos.priority}}}"
    )
    what = "one end of the congestion control is off" if is_on else "NICs slow down for marks that no switch makes"
    if sheet.compare("ecn", (*path, "enabled"), at(ecn, "enabled"), what, asks) and is_on:
        where = intended.class_at(intended.roce.name, "priority")
        what = "congestion control works on another priority than RDMA"
        sheet.compare(
            "ecn", (*path, "priority"), at(ecn, "priority"), what, Asks(intended.qos.priority, where, asks.remedy)
        )


def _ports(intended: Intended, rails: frozenset[int]) -> frozenset[int]:
    """Ports of NICs that are rails, from 1: the PCI function says which."""
    places = [place for group in intended.by_place.values() for place, rail in group.items() if rail in rails]
    return frozenset(1 + int(place[-1]) for place in places if place[-1] in "01") or frozenset({1})


def _firmware(sheet: Sheet, intended: Intended, ports: frozenset[int], *, is_on: bool) -> None:
    """Settings of the firmware: what ``rawNvConfig`` has goes before the operator's own."""
    qos = intended.qos
    cnp_dscp = Asks(qos.cnp_dscp, intended.class_at(intended.cnp.name, "dscp"))
    cnp_priority = Asks(qos.cnp_priority, intended.class_at(intended.cnp.name, "priority"))
    mask = Asks(1 << qos.priority if qos.ecn else 0, intended.congestion_at)
    raw: dict[str, tuple[int, object]] = {}
    for number, each in enumerate(items(sheet.manifest.value(*RAW))):
        raw[str(at(each, "name"))] = number, at(each, "value")
    for name, asks in (("CNP_DSCP", cnp_dscp), ("CNP_802P_PRIO", cnp_priority), ("ROCE_CC_PRIO_MASK", mask)):
        given = {port for port in range(1, 9) if f"{name}_P{port}" in raw}
        for port in sorted(ports | given):
            _setting(sheet, f"{name}_P{port}", raw, Asks(asks.value, asks.at), intended, is_on=is_on)


def _setting(
    sheet: Sheet, name: str, raw: Mapping[str, tuple[int, object]], asks: Asks, intended: Intended, *, is_on: bool
) -> None:
    base, check = name.rpartition("_")[0], "ecn" if name.startswith("ROCE") else "cnp"
    if name not in raw and not is_on:
        sheet.unclear(
            check, TEMPLATE, f"{name} is set to the default of the NIC's firmware, which is not in these files"
        )
        return
    number, value = raw.get(name, (None, DEFAULT_MARKING[base]))
    path = ROCE if number is None else (*RAW, number, "value")
    found = as_number(value)
    shown = value if found is None else found
    why = "" if number is not None else " (the operator's, as rawNvConfig has nothing else)"
    remedy = f'rawNvConfig: [{{name: {name}, value: "{asks.value}"}}]'
    meaning = f"{name} is {shown}{why}: {_notified(base, found, intended)}"
    sheet.compare(check, path, shown, meaning, Asks(asks.value, asks.at, remedy))


def _notified(name: str, value: int | None, intended: Intended) -> str:
    """What a wrong value does."""
    if name == "ROCE_CC_PRIO_MASK":
        return f"congestion control is on other priorities than {'the one of RDMA' if intended.qos.ecn else 'none'}"
    if name == "CNP_DSCP" and value is not None and 0 <= value < 64:
        given = intended.class_of(value)
        return (
            f"notifications leave with DSCP {value}, class {given.name}, priority {given.priority}, "
            f"behind other traffic; class {intended.cnp.name} has priority {intended.cnp.priority}"
        )
    return f"notifications do not leave in the queue of class {intended.cnp.name}"


def byte_in_words(value: int) -> str:
    """A ToS byte as marking: DSCP and ECN bits."""
    return f"DSCP {value >> 2}, {ECN_BITS[value & 3]}"

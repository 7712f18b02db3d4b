"""Firmware: settings that a NIC keeps, now and at its next start, and the oldest firmware that may run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, Judge, Knob, ShownOn
from nornir_tasks.checks.hosts.host_evidence import HostFinding as Finding

FACT = "gpufabric_nic_firmware"
DRIVER = "mlx5_core"
QUIET = ("DCBX_WILLING", "LLDP_NB_DCBX", "LLDP_NB_RX_MODE", "LLDP_NB_TX_MODE")
ALGORITHMS = {"dcqcn": 1, "programmable": 0}
ORDERINGS = {"per_mkey": 0, "force_relax": 1}
IF_THERE = ("LINK_TYPE", "INTERNAL_CPU_OFFLOAD_ENGINE")
"""Not every card has these: a card with one kind of link, or without processors of its own, is as wanted."""
SPECTRUM_X = {
    "ROCE_ADAPTIVE_ROUTING_EN": 1,
    "USER_PROGRAMMABLE_CC": 1,
    "TX_SCHEDULER_LOCALITY_MODE": 2,
    "ROCE_CC_STEERING_EXT": 2,
    "MULTIPATH_DSCP": 0,
}
"""What NVIDIA's published profiles of NICs have in common: tests/corpus/nics/spectrum_x.tsv."""
POWER = ("INTERNAL_CPU_OFFLOAD_ENGINE",)
MOMENTS = (("current", "now"), ("next_boot", "at the next start"))

ABOUT = About(
    name="firmware",
    each="rail and setting that role nic_firmware keeps, now and at the NIC's next start; with floors, its version; "
    "with Spectrum-X, its algorithm",
    reads=(FACT,),
    wanted="nic_firmware_*",
    passes="the firmware has the wanted value now, and will have it at the next start",
    fails="it has another one (also while it waits for a reset, a reboot or a power cycle), or is older than its "
    "floor; NVIDIA's algorithm does not run for the port; what the role wrote, and nothing asks for any more, is not "
    "as it was before",
    cannot_tell="no tool on the host can query the NIC, as under the kernel's lockdown",
    skipped="the NIC is no ConnectX or BlueField, has one kind of link, or has no processors of its own",
)


@dataclass(frozen=True, slots=True)
class _Setting:
    name: str
    value: int


def check_firmware(evidence: HostEvidence) -> list[Finding]:
    """One finding for each rail, setting and moment, and one for each rail's version where there are floors."""
    judge, own = Judge(ABOUT.name, evidence), _own(evidence.variables)
    for rail in own["rails"]:
        facts = evidence.facts.get(FACT, {}).get(rail)
        for setting in _wanted(own):
            for moment, words in MOMENTS:
                shown_by = f"mstconfig -d {(facts or {}).get('pci') or 'PCI'} -e q"
                name = f"{setting.name} {words}"
                knob = Knob(rail, name, str(setting.value), shown_by, ShownOn.STAND_IN)
                if facts is None:
                    judge.undecided(knob, evidence.why_unread(FACT))
                else:
                    _judge(judge, knob, setting, moment, facts)
        _judge_taken_back(judge, rail, facts or {}, {each.name for each in _wanted(own)})
        if own["floors"]:
            _judge_version(judge, rail, facts, own, evidence)
        if own.get("spectrum_x"):
            _judge_algorithm(judge, rail, facts, evidence)
    return judge.findings


def _own(variables: Mapping[str, Any]) -> dict[str, Any]:
    prefix = "nic_firmware_"
    return {name.removeprefix(prefix): value for name, value in variables.items() if name.startswith(prefix)}


def _wanted(own: Mapping[str, Any]) -> Iterator[_Setting]:
    if own["link_type"] == "eth":
        yield _Setting("LINK_TYPE", 2)
    yield from _of_congestion(own)
    if own["pci_wr_ordering"] in ORDERINGS:
        yield _Setting("PCI_WR_ORDERING", ORDERINGS[own["pci_wr_ordering"]])
    if own["ats"] in ("on", "off"):
        yield _Setting("ATS_ENABLED", 1 if own["ats"] == "on" else 0)
    if own["vfs"] >= 0:
        yield _Setting("SRIOV_EN", 1 if own["vfs"] else 0)
        yield _Setting("NUM_OF_VFS", own["vfs"])
    if own["mode"] == "nic":
        yield _Setting("INTERNAL_CPU_OFFLOAD_ENGINE", 1)


def _of_congestion(own: Mapping[str, Any]) -> Iterator[_Setting]:
    if own["policy"]:
        yield from (_Setting(name, 0) for name in QUIET)
        yield _Setting("ROCE_CC_PRIO_MASK", 1 << own["priority"] if own["ecn"] else 0)
    if own["policy"] and own["ecn"]:
        yield _Setting("CNP_DSCP", own["cnp_dscp"])
        yield _Setting("CNP_802P_PRIO", own["cnp_priority"])
    if own["cc_algorithm"] in ALGORITHMS:
        yield _Setting("ROCE_CC_LEGACY_DCQCN", ALGORITHMS[own["cc_algorithm"]])
    if own.get("spectrum_x"):
        yield from (_Setting(*each) for each in SPECTRUM_X.items())
    elif own["reorder"]:
        yield _Setting("ROCE_ADAPTIVE_ROUTING_EN", 1)


def _judge(judge: Judge, knob: Knob, setting: _Setting, moment: str, facts: Mapping[str, Any]) -> None:
    found = facts["settings"].get(setting.name)
    if facts.get("driver") not in (DRIVER, None):
        judge.skip(knob, facts["reason"])
    elif found is not None:
        waits = moment == "current" and found["next_boot"] == setting.value
        remedy = "a power cycle" if setting.name in POWER else "a reset of the NIC (mlxfwreset) or a reboot"
        judge.compare(knob, found[moment], why=f"waits for {remedy}" if waits else "the role nic_firmware sets it")
    elif not facts["settings"]:
        judge.undecided(knob, facts["reason"] or "the firmware shows none of its settings")
    elif setting.name in IF_THERE:
        judge.skip(knob, "the card has no such setting")
    else:
        judge.decide(knob, False, "no such setting", why="the card cannot do what is asked")


def _judge_taken_back(judge: Judge, rail: str, facts: Mapping[str, Any], owned: set[str]) -> None:
    """What the role wrote while a variable asked for it; once another tool has set it, it is no longer ours."""
    for name, each in facts.get("written", {}).items():
        found = facts["settings"].get(name)
        if name in owned or found is None or found["next_boot"] not in (each["found"], each["wrote"]):
            continue
        for moment, words in MOMENTS:
            knob = Knob(
                rail, f"{name} {words}", str(each["found"]), f"mstconfig -d {facts['pci']} -e q", ShownOn.STAND_IN
            )
            is_back = found["next_boot"] == each["found"]
            waits = "goes back by a reset of the NIC (mlxfwreset) or a reboot"
            why = (
                waits
                if is_back
                else f"written for {each['by']}, which asks for it no more; role nic_firmware takes it back"
            )
            judge.compare(knob, found[moment], why=why)


def _judge_algorithm(judge: Judge, rail: str, facts: Mapping[str, Any] | None, evidence: HostEvidence) -> None:
    """DCQCN's place is empty unless NVIDIA's program runs for the port."""
    knob = Knob(rail, "Spectrum-X algorithm", "runs", "pgrep -a doca_spcx_cc", ShownOn.STAND_IN)
    if facts is None:
        judge.undecided(knob, evidence.why_unread(FACT))
    elif facts.get("driver") not in (DRIVER, None):
        judge.skip(knob, facts["reason"])
    elif "algorithm" not in facts:
        judge.undecided(knob, facts["reason"] or "it was not looked for")
    else:
        found, why = facts["algorithm"], "start doca_spcx_cc --device with the rail's RDMA device; no role does"
        judge.decide(knob, found == "runs", found, why=why)


def _judge_version(
    judge: Judge, rail: str, facts: Mapping[str, Any] | None, own: Mapping[str, Any], evidence: HostEvidence
) -> None:
    """The first number of a version is the model's, so a floor is for NICs of its own series alone."""
    floors = {floor.partition(".")[0]: floor for floor in own["floors"]}
    version = (facts or {}).get("version") or ""
    floor = floors.get(version.partition(".")[0], "")
    wanted = f"{floor} or later" if floor else f"not below {', '.join(own['floors'])}"
    knob = Knob(rail, "version", wanted, "cat /sys/class/infiniband/*/fw_ver", ShownOn.STAND_IN)
    if facts is None:
        judge.undecided(knob, evidence.why_unread(FACT))
    elif facts.get("driver") not in (DRIVER, None):
        judge.skip(knob, facts["reason"])
    elif not version:
        judge.undecided(knob, facts["reason"] or "no RDMA device shows it")
    elif not floor:
        judge.skip(knob, f"no floor for firmware {version}")
    elif own["below_floor_allowed"] and _numbers(version) < _numbers(floor):
        judge.skip(knob, f"{version} is older, and nic_firmware_below_floor_allowed is true")
    else:
        judge.decide(knob, _numbers(version) >= _numbers(floor), version, why="a newer image is burnt by hand")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))

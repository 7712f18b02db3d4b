"""The RDMA stack and NCCL: modules, packages, a device on each rail, and what NCCL will read."""

import re
from collections.abc import Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob, ShownOn
from nornir_tasks.design.demand.rdma_libraries import FOLLOWS, SETTINGS, LibrarySetting, meant

RDMA_FACT = "gpufabric_rdma"
BONDS = "bond_interfaces_bonds"
NCCL_FACT = "gpufabric_nccl"
MODULES: Mapping[str, tuple[str, ...]] = {
    "mlx5": ("mlx5_core", "mlx5_ib", "ib_uverbs", "ib_umad", "rdma_cm", "rdma_ucm"),
    "rxe": ("rdma_rxe", "ib_uverbs", "rdma_cm", "rdma_ucm"),
}
"""Kernel modules that verbs and RDMA-CM need, by provider."""
PEERMEM = "nvidia_peermem"
FIRMWARE_TOOLS = ("mstflint", "mft")
"""Packages with tools that query a ConnectX's firmware: the distribution's, and NVIDIA's own."""
_OCTAL = re.compile(r"0[0-7]+")

RDMA = About(
    name="rdma",
    each="kernel module, package, host: packages of one build, NVIDIA's version and builds, and rail: its RDMA device; "
    "bond with RDMA: its members' one device, and its GIDs",
    reads=(RDMA_FACT,),
    wanted="rdma_stack_provider, _source, _peermem, _packages, _hold, _doca_version, _namespaces, _rails; "
    "bond_interfaces_bonds",
    passes="the module is loaded and built for the next boot; the package is installed (held, if asked and ours); the"
    " rail's device is active, and kept if it is Soft-RoCE's",
    fails="one of them is not",
    cannot_tell="the host does not show the module",
)
NCCL = About(
    name="nccl",
    each="variable of NCCL that the policy sets, other RDMA library (its traffic class), and all that contradicts them",
    reads=(NCCL_FACT,),
    wanted="nccl_*",
    passes="what NCCL will read means what is wanted, however it is spelt, and nothing contradicts it",
    fails="another value stands there, none does, or a setting elsewhere contradicts it; file and line are named",
)


def modules_of(variables: Mapping[str, Any]) -> tuple[str, ...]:
    """Expected kernel modules of this host."""
    peermem = (PEERMEM,) if variables.get("rdma_stack_peermem") else ()
    return MODULES[variables["rdma_stack_provider"]] + peermem


def check_rdma(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each module, each package and each rail's device."""
    judge = Judge(RDMA.name, evidence)
    variables = evidence.variables
    facts: Mapping[str, Any] = evidence.facts.get(RDMA_FACT) or {}
    why = "" if facts else evidence.why_unread(RDMA_FACT)
    for module in modules_of(variables):
        found = facts.get("modules", {}).get(module)
        spelt = "loaded" if found == "builtin" else found
        judge.compare(Knob(module, "module", "loaded", f"lsmod | grep {module}"), spelt, why=why)
    on_hold = bool(variables.get("rdma_stack_hold")) and _own(variables, facts)
    for package in packages_of(variables):
        _judge_package(judge, package, facts, on_hold, why)
    builds = Knob(
        "", "packages of rdma-core", "of one build", "dpkg-query -W rdma-core 'libibverbs*' ibverbs-providers"
    )
    if facts:
        mixed = [f"beside NVIDIA's {each}" for each in facts["mixed_stack"]]
        judge.decide(builds, not mixed, mixed or "of one build", why="install all of them from one of the two")
    else:
        judge.undecided(builds, why)
    _judge_builds(judge, facts)
    if variables.get("rdma_stack_source") == "doca":
        _judge_doca(judge, str(variables.get("rdma_stack_doca_version", "")), facts, why)
    if mode := str(variables.get("rdma_stack_namespaces") or ""):
        knob = Knob("", "namespaces of RDMA devices", mode, "rdma system show; cat /etc/modprobe.d/gpufabric-rdma.conf")
        judge.compare(knob, (facts.get("namespaces") or None) if facts else None, why=why)
    bonded = {member["name"]: bond for bond in variables.get(BONDS) or () for member in bond["members"]}
    for rail in variables["rdma_stack_rails"]:
        if rail not in bonded:
            _judge_device(judge, rail, facts, variables["rdma_stack_provider"], why)
    over = {bonded[each]["name"]: bonded[each] for each in variables["rdma_stack_rails"] if each in bonded}
    for bond in over.values():
        _judge_bond(judge, bond, facts, variables["rdma_stack_provider"], why)
    return judge.findings


def packages_of(variables: Mapping[str, Any]) -> tuple[str, ...]:
    """Expected packages of this host."""
    tools = FIRMWARE_TOOLS[:1] if variables["rdma_stack_provider"] == "mlx5" else ()
    return (*variables.get("rdma_stack_packages", ()), *tools)


def _own(variables: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
    """Is the stack the distribution's, which the role installs and holds? Any other stack is left unchanged."""
    source = variables.get("rdma_stack_source", "auto")
    return bool(source == "inbox" or (source == "auto" and not facts.get("vendor_stack")))


def _judge_package(judge: Judge, package: str, facts: Mapping[str, Any], on_hold: bool, why: str) -> None:
    wanted = "installed and held" if on_hold else "installed"
    knob = Knob(package, "package", wanted, f"dpkg-query -W -f '${{Status}} ${{Version}}\\n' {package}")
    if not facts:
        judge.undecided(knob, why)
        return
    names = FIRMWARE_TOOLS if package in FIRMWARE_TOOLS and facts["vendor_stack"] else (package,)
    found = next((facts["packages"][name] for name in names if name in facts["packages"]), None)
    suffix = " and held" if on_hold and found and found["held"] else ""
    judge.compare(knob, f"installed{suffix}" if found else "not installed")


def _judge_builds(judge: Judge, facts: Mapping[str, Any]) -> None:
    """NVIDIA's modules are built for the running kernel and for the one that boots next."""
    if facts.get("vendor_stack"):
        builds = Knob("", "DKMS builds", "for each kernel that boots", "dkms status; ls /lib/modules/*/updates/dkms")
        judge.decide(builds, not facts["unbuilt"], facts["unbuilt"] or "for each kernel that boots")


def _judge_doca(judge: Judge, version: str, facts: Mapping[str, Any], why: str) -> None:
    """The set of packages is of the wanted version (2.9.3 is any build of it), whole and held."""
    wanted = Knob(
        "doca-ofed", "version", version, "cat /var/lib/gpufabric/rdma_stack/set.json; dpkg-query -W doca-ofed"
    )
    packages = Knob("doca-ofed", "packages", "of the set, and held", "dpkg-query -W; apt-mark showhold")
    if not facts:
        judge.undecided(wanted, why)
        judge.undecided(packages, why)
        return
    found = str(facts["doca"]["version"])
    judge.compare(wanted, version if found.startswith(f"{version}-") else found or "none")
    wrong = [*facts["doca"]["wrong"], *(f"{name} is not held" for name in facts["doca"]["not_held"])]
    judge.decide(packages, not wrong, wrong or "of the set, and held")


def _judge_device(judge: Judge, rail: str, facts: Mapping[str, Any], provider: str, why: str) -> None:
    """An active RDMA device; Soft-RoCE's has the rail's name and is restored at boot, mlx5's has the kernel's name."""
    soft = provider == "rxe"
    wanted = f"rxe_{rail}, ACTIVE" if soft else "one, ACTIVE"
    device, kept = Knob(rail, "RDMA device", wanted, "rdma link show"), _kept_by(rail)
    boot = Knob(rail, "RDMA device at boot", "kept", f"systemctl is-enabled {kept}")
    if not facts:
        for knob in (device, boot) if soft else (device,):
            judge.undecided(knob, why)
        return
    name = next((name for name, each in facts["devices"].items() if each["interface"] == rail), None)
    state = facts["devices"][name]["state"] if name else ""
    judge.compare(device, f"{name if soft else 'one'}, {state or 'no state'}" if name else "none")
    if soft:
        judge.compare(boot, "kept" if rail in facts["soft_roce_kept"] else "not kept")


def _judge_bond(judge: Judge, bond: Mapping[str, Any], facts: Mapping[str, Any], provider: str, why: str) -> None:
    """One active RDMA device of all members, with RoCE v2's GIDs of the bond's addresses and its VLANs'."""
    names = sorted(each["name"] for each in bond["members"])
    shown_by = "rdma link show; grep . /sys/class/infiniband/*/ports/1/gid_attrs/ndevs/* 2>/dev/null"
    if provider == "rxe":
        _judge_device(judge, bond["name"], facts, provider, why)
    device = Knob(bond["name"], "RDMA device of members", f"{', '.join(names)}: ACTIVE", shown_by, ShownOn.STAND_IN)
    addresses = [
        (plane["interface"], str(plane[key]))
        for plane in bond["planes"]
        for key in ("address", "address_v6")
        if plane.get(key)
    ]
    gids = [
        (Knob(port, f"GID of {each}", "RoCE v2", shown_by, ShownOn.STAND_IN), f"{port} {each}")
        for port, each in addresses
    ]
    if not facts:
        for knob in (device, *(knob for knob, _ in gids)):
            judge.undecided(knob, why)
        return
    found: Mapping[str, Any] = next(
        (each for each in facts["devices"].values() if each["interface"] == bond["name"]), {}
    )
    served = sorted(found.get("members", ()))
    reasons = sorted({each["no_device"] for name, each in facts["bonds"].items() if name in names} - {""})
    judge.compare(
        device, f"{', '.join(served)}: {found['state'] or 'no state'}" if served else "none", why="; ".join(reasons)
    )
    for knob, gid in gids:
        judge.compare(
            knob, "RoCE v2" if gid in found.get("gids", ()) else "none", why="the address, or the device, is missing"
        )


def _kept_by(rail: str) -> str:
    """The unit, as systemd and a shell take it: a dash in the name of a rail is none in that of its unit."""
    instance = rail.replace("-", r"\x2d")
    return f"gpufabric-rxe@{rail}.service" if instance == rail else f"'gpufabric-rxe@{instance}.service'"


def check_nccl(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each variable of the policy, and one for each setting that contradicts it or is a mistake."""
    judge = Judge(NCCL.name, evidence)
    facts = evidence.facts.get(NCCL_FACT)
    for name, wanted in nccl_wanted(evidence.variables).items():
        knob = Knob("", name, wanted, "cat /etc/nccl.conf; env | grep NCCL_")
        _judge_setting(judge, knob, facts, evidence.why_unread(NCCL_FACT))
    libraries = libraries_wanted(evidence.variables)
    for each in SETTINGS:
        if each.variable in facts["settings"] if facts and each.follows else not each.by_file and not each.follows:
            wanted_class = libraries.get(each.variable, evidence.variables["nccl_traffic_class"])
            _judge_library(judge, each, wanted_class, facts, evidence.why_unread(NCCL_FACT))
    names = Knob("", "NCCL_IB_HCA", _hca(evidence.variables, facts), "cat /etc/nccl.conf; rdma link show")
    _judge_setting(judge, names, facts, evidence.why_unread(NCCL_FACT))
    clean = Knob("", "contradictions", "none", "grep -r NCCL_ /etc/nccl.conf /etc/environment /etc/profile.d")
    contradictions = [each["sentence"] for each in facts["contradictions"]] if facts else None
    judge.compare(clean, contradictions, why="" if facts else evidence.why_unread(NCCL_FACT))
    return judge.findings


def _judge_library(judge: Judge, each: LibrarySetting, wanted: int, facts: Mapping[str, Any] | None, why: str) -> None:
    """What one library besides NCCL will read in the environment, or in a file of its own."""
    knob = Knob(each.variable, "traffic class", str(wanted), f"grep -r {each.variable} /etc/environment /etc/ucx")
    if facts is None:
        judge.undecided(knob, why)
        return
    line = facts["settings"].get(each.variable)
    if line is None:
        judge.decide(knob, False, "not set", why=f"{each.library}: its packets bear {each.unset}")
        return
    place = f"{each.library}: {line['file']}:{line['line']}"
    found = meant(each.variable, line["value"])
    judge.decide(knob, found == wanted or (bool(each.follows) and found == FOLLOWS), line["value"], why=place)


def libraries_wanted(variables: Mapping[str, Any]) -> dict[str, int]:
    """Variable -> traffic class of libraries besides NCCL, from the design."""
    return {name: int(value) for name, value in (variables.get("nccl_libraries") or {}).items()}


def nccl_wanted(variables: Mapping[str, Any]) -> dict[str, str]:
    """NCCL's variable -> value, from the design and the site; NCCL_IB_HCA follows from the rails' devices."""
    own = {
        "NCCL_IB_TC": variables["nccl_traffic_class"],
        "NCCL_IB_ROCE_VERSION_NUM": 2,
        "NCCL_SOCKET_IFNAME": "=" + ",".join(variables["nccl_socket_interfaces"]),
        "NCCL_CROSS_NIC": variables["nccl_cross_nic"],
        "NCCL_PXN_DISABLE": variables["nccl_pxn_disable"],
        "NCCL_IB_FIFO_TC": variables.get("nccl_fifo_traffic_class", variables["nccl_traffic_class"]),
        "NCCL_IB_TIMEOUT": variables.get("nccl_ib_timeout"),
        "NCCL_IB_RETRY_CNT": variables.get("nccl_ib_retry_count"),
        "NCCL_IB_GID_INDEX": index if (index := variables.get("nccl_gid_index", -1)) != -1 else None,
        **_of_queue_pairs(variables),
        **variables.get("nccl_settings", {}),
    }
    return {name: str(value) for name, value in own.items() if value is not None}


def _of_queue_pairs(variables: Mapping[str, Any]) -> dict[str, int]:
    """Only where the intent says how many there are."""
    count = variables.get("nccl_queue_pairs")
    if count is None:
        return {}
    split = bool(variables.get("nccl_split_data"))
    return {"NCCL_IB_QPS_PER_CONNECTION": count, "NCCL_IB_SPLIT_DATA_ON_QPS": int(split)}


def _hca(variables: Mapping[str, Any], facts: Mapping[str, Any] | None) -> str:
    """The exact list: ``=`` and each rail's device, in the order of rails."""
    devices = [(facts or {}).get("hcas", {}).get(rail) or f"(device of {rail})" for rail in variables["nccl_rails"]]
    return "=" + ",".join(devices)


def _judge_setting(judge: Judge, knob: Knob, facts: Mapping[str, Any] | None, why: str) -> None:
    if facts is None:
        judge.undecided(knob, why)
        return
    line = facts["settings"].get(knob.name)
    place = f"{line['file']}:{line['line']}" if line else "nothing sets it"
    found = line["value"] if line else "not set"
    # Shown as the wanted text if the meaning is equal, so that a spelling is not reported as a failure.
    judge.compare(knob, knob.wanted if _meaning(found) == _meaning(str(knob.wanted)) else found, why=place)


def _meaning(value: str) -> object:
    """How NCCL interprets a value: a number in any base of strtoll, an exact list in any order, else the text."""
    if value.startswith("="):
        return frozenset(value[1:].split(","))
    try:
        return int(value, 8) if _OCTAL.fullmatch(value) else int(value, 0)
    except ValueError:
        return value

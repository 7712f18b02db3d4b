"""InfiniBand ports: each is up at its rate and width, known to a subnet manager, in its partitions, without errors.

Roles give such ports no Ethernet setting. What is judged is what a site declares of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob, ShownOn

FACT = "gpufabric_infiniband"
WANTED = "host_validate_infiniband"
WIDTH = 4
"""Lanes of a port, unless said otherwise: 4X, as host channel adapters have."""
THRESHOLDS = {
    **dict.fromkeys(("symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors"), 10),
    **dict.fromkeys(("local_link_integrity_errors", "excessive_buffer_overrun_errors"), 10),
    **dict.fromkeys(("port_rcv_remote_physical_errors", "port_xmit_discards", "VL15_dropped"), 100),
    **dict.fromkeys(("port_xmit_constraint_errors", "port_rcv_constraint_errors"), 100),
}
"""Of a counter, which counts until it is cleared, so much is taken: linux-rdma/rdma-core,
infiniband-diags/etc/error_thresholds, commit a78c47bf8623."""

ABOUT = About(
    name="infiniband",
    each="InfiniBand port: link layer, state, physical state, rate, width, subnet manager, partitions, errors",
    reads=(FACT,),
    wanted=WANTED,
    passes="it is ACTIVE and LinkUp at its rate and width; it has a LID and a subnet manager; it is in its partitions; "
    "no counter of errors is above its threshold",
    fails="there is no such port, it is an Ethernet port, or one of these differs",
    cannot_tell="the kernel shows no value",
)

Found = Mapping[str, Any]
BELOW = "below their thresholds"
NOBODY: Found = {
    **dict.fromkeys(("link_layer", "physical", "state", "rate_gbps", "width", "sm_lid", "lid")),
    "partitions": (),
    "errors": {},
}


def check_infiniband(evidence: HostEvidence) -> list[HostFinding]:
    """Findings: 8 for each port that is declared."""
    judge, facts = Judge(ABOUT.name, evidence), evidence.facts.get(FACT)
    for wanted in evidence.variables.get(WANTED) or ():
        name = f"{wanted['device']}/{wanted.get('port', 1)}"
        found = (facts or {}).get(name)
        folder = f"/sys/class/infiniband/{name.replace('/', '/ports/')}"
        for what, value, shown, file, why in _values(wanted, found or NOBODY):
            knob = Knob(name, what, value, f"cat {folder}/{file}", ShownOn.STAND_IN)
            if facts is None:
                judge.undecided(knob, evidence.why_unread(FACT))
            else:
                judge.compare(knob, "no such port" if found is None else shown, why=why)
    return judge.findings


Value = tuple[str, str, object, str, str]
"""What it is, what is wanted, what was found (None: not shown), the file that shows it, the remedy."""


def _values(wanted: Found, found: Found) -> Iterator[Value]:
    rate, width = found["rate_gbps"], str(wanted.get("width", WIDTH))
    yield "link layer", "InfiniBand", found["link_layer"], "link_layer", "what a VPI port is: mlxconfig LINK_TYPE_P1"
    yield "physical", "LinkUp", found["physical"], "phys_state", "Polling: look at the cable and the switch's port"
    yield "state", "ACTIVE", found["state"], "state", "INIT: no subnet manager has come by"
    shown = None if rate is None else f"{rate:g}"
    yield "rate_gbps", f"{float(wanted['rate_gbps']):g}", shown, "rate", "a cable, or a switch's port, that can less"
    yield "width", width, found["width"], "rate", "lanes are lost: clean or replace the cable"
    yield "subnet manager", "known", _manager(found), "sm_lid", "none has come by: is opensm or UFM up?"
    yield _partitions(wanted, found)
    yield _errors(found)


def _manager(found: Found) -> object:
    if found["sm_lid"] is None or found["lid"] is None:
        return None
    return "known" if found["sm_lid"] and found["lid"] else f"LID {found['lid']}, the manager's {found['sm_lid']}"


def _partitions(wanted: Found, found: Found) -> Value:
    names = sorted(f"0x{int(str(each), 16):04x}" for each in wanted.get("partitions", ("0xffff",)))
    in_all, text = set(names) <= set(found["partitions"]), ", ".join(names)
    return "partitions", text, text if in_all else found["partitions"], "pkeys/*", "the subnet manager gives them"


def _errors(found: Found) -> Value:
    above = [f"{name} {value}" for name, value in found["errors"].items() if value > THRESHOLDS[name]]
    shown = (above or BELOW) if found["errors"] else None
    why = "perfquery -R clears them, once the cause is mended" if found["errors"] else "the kernel shows no counters"
    return "errors", BELOW, shown, "counters/*", why

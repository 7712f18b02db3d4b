"""BMCs: they have the address of the plan, and the port that is cabled for them, and none of their host's beside it."""

from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob, ShownOn

FACT = "gpufabric_bmc"
WANTED = "host_validate_bmc"
ABOUT = About(
    name="bmc",
    each="value of the BMC: address, port, and MAC address where it is declared",
    reads=(FACT,),
    wanted=WANTED,
    passes="it has the address of the plan and the declared MAC address, and the port is dedicated, or shared as said",
    fails="another address or MAC address; or a port that is shared, failover included, and should not be",
    cannot_tell="ipmitool or the kernel's module is missing, or no command of this vendor's is known for the port",
    skipped="the host has no BMC: neither a device for it nor an entry in SMBIOS",
)
_SHOWN_BY = "ipmitool lan print"


def check_bmc(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each value; none for a host without a BMC in the plan."""
    judge, wanted = Judge(ABOUT.name, evidence), evidence.variables.get(WANTED)
    if not wanted:
        return judge.findings
    facts: dict[str, Any] | None = evidence.facts.get(FACT)
    shown_by = (facts or {}).get("port_shown_by") or "the vendor's command for the LAN mode"
    knobs = {"address": Knob("", "address", str(wanted["address"]), _SHOWN_BY, ShownOn.STAND_IN)}
    if wanted.get("mac"):
        knobs["mac"] = Knob("", "MAC address", str(wanted["mac"]).lower(), _SHOWN_BY, ShownOn.STAND_IN)
    knobs["port"] = Knob("", "port", str(wanted["port"]), shown_by, ShownOn.STAND_IN)
    for name, knob in knobs.items():
        if facts is None:
            judge.undecided(knob, evidence.why_unread(FACT))
        elif facts["device"] is None and not facts["in_smbios"]:
            judge.skip(knob, "no BMC shows itself: neither /dev/ipmi0 nor SMBIOS type 38")
        elif why := _out_of_reach(facts):
            judge.undecided(knob, why)
        else:
            untold = facts["port_reason" if name == "port" else "lan_reason"]
            judge.compare(knob, facts[name], why=untold if facts[name] is None else _remedy(name, facts))
    return judge.findings


def _out_of_reach(facts: dict[str, Any]) -> str:
    """Why the host cannot ask its BMC; empty where it can."""
    if facts["device"] is None:
        return "SMBIOS names a BMC, and there is no /dev/ipmi0: load ipmi_si (or ipmi_ssif) and ipmi_devintf"
    return "" if facts["has_tool"] else "there is no ipmitool: install it"


def _remedy(name: str, facts: dict[str, Any]) -> str:
    if name == "port" and facts["port"] == "shared":
        return "set it to dedicated; or say bmc_shares in the intent, and nornir prove judges what that opens"
    if name == "port":
        return "bmc_shares in the intent says that it is shared"
    return "another host's BMC, a new board, or no lease: look at it, or at its cable"

"""Tuning: kernel settings and arguments, limits, processors and the rails' interrupts are as the site sets them."""

from collections.abc import Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob
from nornir_tasks.checks.hosts.kernel import FACT, judge_argument

NUMA_BALANCING = "kernel.numa_balancing"
PROFILE = "gpufabric"
"""Profile of tuned that the role host_tuning writes."""

ABOUT = About(
    name="host_tuning",
    each="kernel setting, limit and argument, governor, idle states or the profile of tuned, and rail: its interrupts",
    reads=(FACT,),
    wanted="host_tuning_*, with host_tuning_limits_only limits alone; nothing of a host whose site leaves the role out",
    passes="it is as wanted; interrupts are on processors near the NIC, never on an isolated one",
    fails="it is otherwise, or not set; of an argument it is said whether a reboot brings it",
    cannot_tell="the host does not show it, or the NIC's interrupts",
    skipped="the machine has no frequency control, no idle states, no NUMA balancing, or Soft-RoCE no interrupts",
)

Facts = Mapping[str, Any]
Variables = Mapping[str, Any]


def check_tuning(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each setting, limit and argument, for governor, idle states and each rail's interrupts."""
    judge = Judge(ABOUT.name, evidence)
    variables = {
        name.removeprefix("host_tuning_"): value
        for name, value in evidence.variables.items()
        if name.startswith("host_tuning_")
    }
    if not variables:
        return []  # a host of a site without this role has none of its variables
    facts, why = evidence.facts.get(FACT), evidence.why_unread(FACT)
    if variables["limits_only"]:
        _judge_limits(judge, variables, facts, why)
        return judge.findings
    _judge_sysctl(judge, variables, facts, why)
    _judge_limits(judge, variables, facts, why)
    _judge_processors(judge, variables, facts, why)
    for argument in arguments(variables):
        judge_argument(judge, argument, facts, why)
    for rail in variables["rails"]:
        _judge_interrupts(judge, rail, variables["isolated_cpus"], facts, evidence)
    return judge.findings


def sysctl_names(variables: Variables) -> list[str]:
    """Kernel settings to read."""
    return [*variables.get("host_tuning_sysctl", {}), NUMA_BALANCING]


def arguments(variables: Variables) -> list[str]:
    """Arguments of the kernel; isolation takes three (Linux, admin-guide/kernel-parameters.txt)."""
    cpus = variables["isolated_cpus"]
    isolation = [f"isolcpus=managed_irq,domain,{cpus}", f"nohz_full={cpus}", f"rcu_nocbs={cpus}"] if cpus else []
    return [*variables["kernel_arguments"], *isolation]


def _judge_sysctl(judge: Judge, variables: Variables, facts: Facts | None, why: str) -> None:
    found = facts["sysctl"] if facts else {}
    for name, value in variables["sysctl"].items():
        knob = Knob("", name, " ".join(str(value).split()), f"sysctl {name}")
        judge.compare(knob, found.get(name), why="" if facts else why)
    balancing = Knob("", NUMA_BALANCING, "1" if variables["numa_balancing"] else "0", f"sysctl {NUMA_BALANCING}")
    if facts and found.get(NUMA_BALANCING) is None:
        judge.skip(balancing, "this kernel does not balance")
    else:
        judge.compare(balancing, found.get(NUMA_BALANCING), why="" if facts else why)


def _judge_limits(judge: Judge, variables: Variables, facts: Facts | None, why: str) -> None:
    """Of several lines for one domain, type and item the last one counts (limits.conf(5))."""
    effective: dict[tuple[str, str, str], str] = {}
    for line in facts["limits"] if facts else ():
        for kind in ("soft", "hard") if line["type"] == "-" else (line["type"],):
            effective[line["domain"], kind, line["item"]] = line["value"]
    for limit in variables["limits"]:
        for domain in ("*", "root"):
            knob = Knob(domain, f"limit {limit['item']}", limit["value"], "ulimit -a; cat /etc/security/limits.d/*")
            ends = [effective.get((domain, kind, limit["item"]), "not set") for kind in ("soft", "hard")]
            found = ends[0] if ends[0] == ends[1] else f"{ends[0]} soft, {ends[1]} hard"
            judge.compare(knob, found if facts else None, why="" if facts else why)


def _judge_processors(judge: Judge, variables: Variables, facts: Facts | None, why: str) -> None:
    tuned = Knob("", "tuned profile", PROFILE, "tuned-adm active")
    if variables["tuned"]:
        judge.compare(tuned, (facts["tuned_profile"] or "none") if facts else None, why="" if facts else why)
    if variables["governor"]:
        path = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
        governor = Knob("", "governor", variables["governor"], f"cat {path}")
        if facts and not facts["processors"]["governors"]:
            judge.skip(governor, "no frequency control")
        else:
            judge.compare(governor, facts["processors"]["governors"] if facts else None, why="" if facts else why)
    if variables["idle_latency_us"] >= 0 and not variables["tuned"]:
        _judge_idle(judge, variables["idle_latency_us"], facts, why)


def _judge_idle(judge: Judge, limit_us: int, facts: Facts | None, why: str) -> None:
    """Exactly the states that take longer to leave than the limit are off."""
    states = facts["processors"]["idle_states"] if facts else []
    known = [state for state in states if state["latency_us"] is not None]
    slow = sorted(state["name"] for state in known if state["latency_us"] > limit_us)
    wanted = f"{', '.join(slow)} off" if slow else "none off"
    knob = Knob("", "idle states", wanted, "grep . /sys/devices/system/cpu/cpu0/cpuidle/*/{name,latency,disable}")
    off = sorted(state["name"] for state in known if state["disabled"])
    if facts and not known:
        judge.skip(knob, "no idle states")
    else:
        judge.compare(knob, (f"{', '.join(off)} off" if off else "none off") if facts else None, why=why)


def _judge_interrupts(judge: Judge, rail: str, isolated: str, facts: Facts | None, evidence: HostEvidence) -> None:
    """On processors of the NIC's node, or on any if the platform names no node; never on an isolated one."""
    show = f"grep {rail} /proc/interrupts; cat /proc/irq/IRQ/smp_affinity_list"
    interface = facts["rails"].get(rail) if facts else None
    if facts is None or interface is None:
        judge.undecided(Knob(rail, "interrupts", "near its NIC", show), evidence.why_unread(FACT))
        return
    nodes = {node["node"]: node["cpus"] for node in facts["nodes"]}
    number = interface["numa_node"]
    near = nodes[number] if number in nodes else facts["processors"]["online"]
    allowed = cpus_of(near) - cpus_of(isolated)
    knob = Knob(rail, "interrupts", f"on processors {near}" + (f" but {isolated}" if isolated else ""), show)
    if not interface["exists"]:
        judge.decide(knob, False, f"no interface {rail}")
    elif not interface["interrupts"] and evidence.variables["rdma_stack_provider"] == "rxe":
        judge.skip(knob, "its device has no interrupts of its own")
    elif not interface["interrupts"]:
        judge.undecided(knob, "its device shows no interrupts")
    else:
        stray = [
            f"{each['irq']} on {each['cpus']}"
            for each in interface["interrupts"]
            if not cpus_of(each["cpus"]) <= allowed
        ]
        judge.decide(knob, not stray, stray or knob.wanted)


def cpus_of(text: str) -> set[int]:
    """``0-3,8`` -> 0, 1, 2, 3, 8."""
    ranges = [part.partition("-") for part in text.split(",") if part]
    return {cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1)}

"""Settings of NCCL and other RDMA libraries on a host, and the mistakes in them. Pure: text in, findings out.

NCCL takes a variable from the process's environment, else from ``~/.nccl.conf`` (or ``$NCCL_CONF_FILE``), else from
/etc/nccl.conf; of two lines in a file the first counts (NVIDIA/nccl 2.31, src/misc/param.cc: setenv without overwrite).
Its parser of these files is minimal: # starts a comment only as the first character, and every other character is part
of the name or the value. So `NCCL_IB_TC = 106` silently sets a variable that nothing reads.
Runs on hosts: standard library alone, Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LONGEST = 1023
"""Characters of a name or value that NCCL keeps (src/misc/param.cc)."""

ECN_NOT_CAPABLE, ECN_CONGESTED = 0b00, 0b11
"""The two lowest bits of a traffic class (RFC 3168)."""

ALWAYS_WRONG = {
    "NCCL_IB_GID_INDEX": (
        lambda value: _number(value) != -1,
        "pins an index of the GID table, which shifts when an address is added, on one host and not on another",
        "remove it; NCCL 2.21 and later finds the RoCE v2 GID of the rail's IPv4 address by itself. Where jobs bring an"
        " older one, or one before 2.26 into pods with macvlan, declare the index and its risk: nccl_gid_index",
    ),
    "NCCL_IB_DISABLE": (
        lambda value: _number(value) != 0,
        "turns RDMA off: all traffic goes over TCP",
        "remove it",
    ),
    "NCCL_NET": (
        lambda value: value.lower() == "socket",
        "turns RDMA off: all traffic goes over TCP",
        "remove it",
    ),
}
"""Variables that are not in our policy: (is it wrong, why, remedy)."""

TRAFFIC_CLASSES = ("NCCL_IB_TC", "NCCL_IB_FIFO_TC", "NCCL_GIN_IB_TC")
FOLLOWS = {"NCCL_GIN_IB_TC": "NCCL_IB_TC", "MORI_IO_TC": "MORI_RDMA_TC"}
"""Variable -> the one that the library takes without it: where it is set, it has to have the same value."""
NOT_SET = {"NCCL_GIN_IB_TC": -1}
"""The number that means so."""
DECIMAL = ("UCX_", "MORI_", "MC_")
"""Libraries that read nothing but decimal numbers; sources: design/demand/rdma_libraries.py."""
EXACT = {
    "NCCL_IB_HCA": "list the rails' devices with = before the list",
    "NCCL_SOCKET_IFNAME": "list the business plane's interfaces with = before the list",
}
"""The value to write where no policy sets one."""

BEGIN, END = "# gpufabric: begin", "# gpufabric: end"
"""The lines between these two are ours."""


@dataclass(frozen=True)
class Setting:
    """One variable as one line of one file sets it."""

    name: str
    value: str
    file: str
    line: int
    managed: bool = False
    """Written by the role nccl, between its two marks."""


@dataclass(frozen=True)
class Contradiction:
    """A line that does not have the effect its author expects, or that contradicts the policy."""

    file: str
    line: int
    text: str
    problem: str
    remedy: str
    managed: bool = False

    def sentence(self) -> str:
        """One sentence for the operator."""
        return f"{self.file}:{self.line}: `{self.text.strip()}` {self.problem}. Remedy: {self.remedy}."


def read_conf(file: str, text: str) -> tuple[list[Setting], list[Contradiction]]:
    """NCCL's own configuration file, parsed as NCCL does, and the lines that NCCL reads other than they look."""
    settings: dict[str, Setting] = {}
    odd: list[Contradiction] = []
    managed = False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("#") or not line.strip():
            managed = line == BEGIN or (managed and line != END)
            continue
        name, equals, value = line.partition("=")
        first = settings.get(name)
        problem, remedy = _misread(line, name, bool(equals), value), "write NAME=value and nothing else on the line"
        if not problem and first and not _same(first.value, value):
            problem, remedy = f"is never read: line {first.line} comes first", "remove one of the two"
        if problem:
            odd.append(Contradiction(file, number, line, problem, remedy, managed))
        if equals and not first:
            settings[name] = Setting(name, value, file, number, managed)
    return list(settings.values()), odd


def _misread(line: str, name: str, has_equals: bool, value: str) -> str:
    """How NCCL's parser reads this line other than it looks; empty if there is no difference."""
    checks = (
        (not has_equals, "has no =, so NCCL skips it"),
        (name.startswith("export "), "sets a variable called `export ...`, which nothing reads: this is no shell"),
        (name != name.strip(), f"sets a variable called `{name}`, blanks included, which nothing reads"),
        (value.endswith("\r"), "ends with a carriage return, which becomes part of the value"),
        (value[:1] in ('"', "'"), "has quotes, which become part of the value"),
        (value != value.strip(), "has blanks beside the value, which become part of it"),
        (" #" in value, "has a comment behind the value, which becomes part of it"),
        (len(line) > LONGEST, f"is longer than the {LONGEST} characters that NCCL keeps"),
    )
    return next((problem for wrong, problem in checks if wrong), "")


SHELL_SETTING = (
    r"^\s*(?:export\s+|declare\s+-x\s+|setenv\s+|DefaultEnvironment=.*?)?[\"']?(NCCL_[A-Z0-9_]+%s)"
    r"(?:=|\s+)([\"']?)([^\"'\s;#]*)\2"
)


def read_environment(file: str, text: str, others: Iterable[str] = ()) -> list[Setting]:
    """Variables of an environment file (/etc/environment, profile.d, systemd's); of two lines the last counts.

    ``others``: variables of libraries besides NCCL.
    """
    names = "".join(f"|{name}" for name in (*others, *FOLLOWS))
    pattern = re.compile(SHELL_SETTING % names)
    found: dict[str, Setting] = {}
    managed = False
    for number, line in enumerate(text.splitlines(), start=1):
        managed = line == BEGIN or (managed and line != END)
        match = None if line.lstrip().startswith("#") else pattern.match(line)
        if match:
            found[match[1]] = Setting(match[1], match[3], file, number, managed)
    return list(found.values())


def effective(environment: Iterable[Setting], conf: Iterable[Setting]) -> dict[str, Setting]:
    """Variable -> the effective setting: the environment before the files; within each, the first one."""
    found: dict[str, Setting] = {}
    for each in (*environment, *conf):
        found.setdefault(each.name, each)
    return found


def contradictions(
    settings: Iterable[Setting], wanted: Mapping[str, str], rails: Iterable[str] = ()
) -> list[Contradiction]:
    """Each setting that is a mistake by itself, or differs from the policy, with reason and remedy."""
    found = []
    for each in settings:
        problem, remedy = _judged(each, wanted, tuple(rails))
        if problem:
            text = f"{each.name}={each.value}"
            found.append(Contradiction(each.file, each.line, text, problem, remedy, each.managed))
    return found


def _judged(each: Setting, wanted: Mapping[str, str], rails: tuple[str, ...]) -> tuple[str, str]:
    """(problem, remedy) of one setting; two empty strings if it is right."""
    policy = wanted.get(each.name, wanted.get(FOLLOWS.get(each.name, "")))
    if policy is not None and (_same(each.value, policy) if _is_nccl(each) else _read(each) == int(policy)):
        return "", ""
    if _number(each.value) == NOT_SET.get(each.name, ""):
        return "", ""
    if each.name in ALWAYS_WRONG:
        wrong, problem, remedy = ALWAYS_WRONG[each.name]
        return (problem, remedy) if wrong(each.value) else ("", "")
    if policy is None:
        return _problem(each, None, rails), EXACT.get(each.name, "")
    file = "/etc/nccl.conf" if _is_nccl(each) else "/etc/environment"
    return _problem(each, policy, rails), f"remove the line; the policy sets {each.name}={policy} in {file}"


def _is_nccl(each: Setting) -> bool:
    return each.name.startswith("NCCL_")


def _read(each: Setting) -> int | None:
    """The number that the library takes from a value; None if it takes none."""
    if each.name.startswith(DECIMAL):
        return int(each.value) if each.value.isdecimal() else None
    return _number(each.value)


def _problem(each: Setting, policy: str | None, rails: tuple[str, ...]) -> str:
    if policy is not None and not _is_nccl(each) and _read(each) is None:
        return f"is not a number as this library reads them: write {policy}, in decimal digits alone"
    if policy is not None and (each.name in TRAFFIC_CLASSES or not _is_nccl(each)):
        return _traffic_class(each.value, int(policy))
    if each.name == "NCCL_IB_HCA":
        return _hca(each.value, policy)
    if each.name == "NCCL_SOCKET_IFNAME":
        return _socket(each.value, policy, rails)
    return f"is not what the policy wants ({policy})" if policy is not None else ""


def _traffic_class(value: str, policy: int) -> str:
    """Why this traffic class differs from the policy's; 4 x DSCP + ECN bits."""
    found = _number(value)
    dscp, ecn = policy >> 2, policy & 0b11
    if found is None or not 0 <= found <= 255:
        return "is no traffic class (0 to 255)"
    if found == dscp:
        return f"is the DSCP; the traffic class is 4 x DSCP + ECN bits, {policy}, and {found} marks DSCP {found >> 2}"
    if found >> 2 == dscp and found & 0b11 == ECN_NOT_CAPABLE and ecn != ECN_NOT_CAPABLE:
        return f"has the DSCP without an ECN bit (Not-ECT): switches drop such packets where they would mark {policy}"
    if found & 0b11 == ECN_CONGESTED:
        return "has both ECN bits set, which says congestion experienced on every packet"
    if found >> 2 == dscp:
        return f"has ECN bits {found & 0b11}, the policy's are {ecn} (traffic class {policy})"
    return f"marks DSCP {found >> 2}, the fabric's lossless class is DSCP {dscp} (traffic class {policy})"


def _hca(value: str, policy: str | None) -> str:
    if value.startswith("^"):
        return "says which devices not to use: any other one on the host, storage's too, is used as a rail"
    if not value.startswith("="):
        return "has no = before it, so each name is a prefix: mlx5_1 also takes mlx5_10 to mlx5_19"
    if policy is None:
        return ""
    return f"is not the list of the rails' devices ({policy})"


def _socket(value: str, policy: str | None, rails: tuple[str, ...]) -> str:
    names = value.lstrip("^=").split(",")
    on_rails = [name for name in names if name in rails]
    if on_rails and not value.startswith("^"):
        return f"puts NCCL's bootstrap on {', '.join(on_rails)}, a rail of the compute plane"
    if value.startswith("^"):
        return "says which interfaces not to use: any other one on the host may be taken"
    if not value.startswith("="):
        return "has no = before it, so each name is a prefix (eth0 is, and so is eth01)"
    return f"is not what the policy wants ({policy})" if policy is not None else ""


def _same(value: str, policy: str) -> bool:
    """Equal for NCCL: numbers by value (strtoll, base 0), lists in any order."""
    if value == policy:
        return True
    if _number(value) is not None and _number(value) == _number(policy):
        return True
    both_exact = value.startswith("=") and policy.startswith("=")
    return both_exact and sorted(value[1:].split(",")) == sorted(policy[1:].split(","))


def _number(value: str) -> int | None:
    """A number as strtoll reads it in base 0: 106, 0x6a, 0152; None if it is not one."""
    text = value.strip()
    if re.fullmatch(r"[-+]?0[0-7]+", text):
        return int(text, 8)
    try:
        return int(text, 0)
    except ValueError:
        return None

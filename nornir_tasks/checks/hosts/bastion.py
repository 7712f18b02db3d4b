"""A bastion's sshd, as sshd itself reads its settings for each who may come in, and for everybody else."""

from collections.abc import Iterator, Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.boundary_parts import FACT
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

WANTED = "bastion_users"
ANYBODY = "nobody"
"""An account that no bastion lets in."""
SESSION = "/usr/local/sbin/gpufabric-bastion-session"
CLOSED = {
    "permitrootlogin": "no",
    "passwordauthentication": "no",
    "permitemptypasswords": "no",
    "hostbasedauthentication": "no",
    "permituserenvironment": "no",
    "allowagentforwarding": "no",
    "allowstreamlocalforwarding": "no",
    "x11forwarding": "no",
    "permittunnel": "no",
    "gatewayports": "no",
}
"""For everybody."""
ABOUT = About(
    name="bastion",
    each="setting of sshd that closes something, for each person, Ansible's account and everybody else",
    reads=(FACT,),
    wanted="bastion_users, bastion_tool_account, bastion_second_factor",
    passes="sshd -T says it for that account",
    fails="it says something else: another file opened what the role closes",
    cannot_tell="sshd does not take its own file",
)


def accounts(variables: Mapping[str, Any]) -> tuple[str, ...]:
    """Whom sshd is asked for; none on hosts that are no bastions."""
    return tuple(dict.fromkeys(name for name, _, _ in _wanted(variables)))


def check_bastion(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each account and setting."""
    judge, facts = Judge(ABOUT.name, evidence), evidence.facts.get(FACT)
    for name, word, value in _wanted(evidence.variables):
        knob = Knob(name, word, value, f"sshd -T -C user={name},host=bastion,addr=192.0.2.1")
        if facts is None:
            judge.undecided(knob, evidence.why_unread(FACT))
            continue
        effective: Mapping[str, Any] = facts["sshd"].get(name, {"reason": "it was not asked for this account"})
        if reason := effective.get("reason"):
            judge.undecided(knob, reason)
        else:
            judge.compare(knob, effective["settings"].get(word), why="run the playbook")
    return judge.findings


def _wanted(variables: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Account, setting, value."""
    if WANTED not in variables:
        return
    people = [each["name"] for each in variables[WANTED]]
    tool = str(variables.get("bastion_tool_account", "ansible"))
    for name in (ANYBODY, *people, tool):
        yield from ((name, word, value) for word, value in CLOSED.items())
    second = variables.get("bastion_second_factor", "totp") == "totp"
    for name in people:
        yield name, "authenticationmethods", "publickey,keyboard-interactive:pam" if second else "publickey"
        yield name, "forcecommand", SESSION
        yield name, "allowtcpforwarding", "local"
    for name in (ANYBODY, tool):
        yield name, "allowtcpforwarding", "no"
    yield tool, "authenticationmethods", "publickey"
    yield tool, "authorizedkeysfile", "none"

"""Certificates of published services, on the host that ends TLS: how long each is valid."""

from datetime import UTC, datetime

from cryptography import x509

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.boundary_parts import FACT, certificates
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

DAY_S = 86_400
ABOUT = About(
    name="host_certificates",
    each="published service that ends TLS",
    reads=(FACT,),
    wanted="load_balancer_certificate_days",
    passes="its certificate, and those of its issuers in the file, are valid for at least so many days more",
    fails="one of them ends sooner, or has ended, or begins later; or there is no such file",
    cannot_tell="the file holds no certificate that can be read",
)


def check_host_certificates(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each service."""
    judge, facts = Judge(ABOUT.name, evidence), evidence.facts.get(FACT)
    days = int(evidence.variables.get("load_balancer_certificate_days", 14))
    for service, path in certificates(evidence.variables).items():
        wanted = f"valid for {days} days more"
        knob = Knob(service, "certificate", wanted, f"openssl x509 -noout -subject -dates -in {path}")
        if facts is None:
            judge.undecided(knob, evidence.why_unread(FACT))
            continue
        pem = facts["certificates"].get(path)
        if pem is None:
            judge.decide(knob, False, "no such file", why="run the playbook")
            continue
        try:
            chain = x509.load_pem_x509_certificates(pem.encode())
        except ValueError:
            judge.undecided(knob, f"no certificate in {path} can be read")
            continue
        now = datetime.fromtimestamp(facts["now_s"], UTC)
        left = min((each.not_valid_after_utc - now).total_seconds() for each in chain) / DAY_S
        is_early = any(each.not_valid_before_utc > now for each in chain)
        found = "not valid yet" if is_early else f"{left:.0f} days left" if left >= 0 else f"ended {-left:.0f} days ago"
        judge.decide(knob, left >= days and not is_early, found, why="give a new one in load_balancer_certificates")
    return judge.findings

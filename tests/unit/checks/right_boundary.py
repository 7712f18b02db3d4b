"""Firewall 1 of tests/sites/boundary with everything as asked: its variables, its files' texts, and its facts.

Facts are written by hand from RETURN of boundary_facts; nothing here asks the checks.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from nornir_tasks.design.hosts.boundary_vars import firewall_host_vars
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.platforms import platforms

SITE = Path(__file__).parents[2] / "sites" / "boundary" / "fabric.yml"
SYSCTL = "/etc/sysctl.d/60-gpufabric-firewall.conf"
NAT_LOG = "/var/log/gpufabric-nat/translations.log"
UNITS = (
    *("gpufabric-firewall.service", "conntrackd.service", "keepalived.service"),
    *("gpufabric-nat.service", "gpufabric-nat-log.service"),
)
RULES = "/etc/gpufabric/firewall.nft"
TEXTS = {
    RULES: "table inet gpufabric_firewall {\n\tcounter refused {\n\t}\n\n\tcounter never {\n\t}\n}\n",
    "/etc/systemd/system/gpufabric-firewall.service": "[Unit]\n",
    "/etc/systemd/system/nftables.service.d/gpufabric-firewall.conf": "[Service]\n",
    "/etc/systemd/system/keepalived.service.d/gpufabric-firewall.conf": "[Service]\n\n",
    "/etc/systemd/system/conntrackd.service.d/gpufabric-firewall.conf": "[Service]\n#\n",
    "/etc/conntrackd/conntrackd.conf": "Sync {\n}\n",
    "/etc/keepalived/keepalived.conf": "global_defs {\n}\n",
    "/usr/local/sbin/gpufabric-firewall-state": "#!/bin/sh\n",
    "/etc/gpufabric/nat.nft": "table ip gpufabric_nat {\n\tcounter untranslated {\n\t}\n}\n",
    "/etc/systemd/system/gpufabric-nat.service": "[Unit]\n#1\n",
    "/etc/systemd/system/nftables.service.d/gpufabric-nat.conf": "[Service]\n#2\n",
    "/etc/systemd/system/keepalived.service.d/gpufabric-nat.conf": "[Service]\n#3\n",
    "/etc/systemd/system/gpufabric-nat-log.service": "[Unit]\n#4\n",
    "/etc/sysctl.d/61-gpufabric-nat.conf": "# Written\nnet.netfilter.nf_conntrack_timestamp = 1\n",
    "/usr/local/lib/gpufabric/nat_find.py": "find",
    "/usr/local/lib/gpufabric/nat_log.py": "log",
    "/usr/local/lib/gpufabric/nat_records.py": "records",
    SYSCTL: "# Written\nnet.ipv4.ip_forward = 1\nnet.netfilter.nf_conntrack_max = 262144\n",
}
SHARED = {
    "wan": ("203.0.113.1/29", "2001:db8:100::1/64"),
    "dmz": ("203.0.113.65/27", "2001:db8:101::1/64"),
    "lan": ("10.190.0.1/28", "fd00:190::1/64"),
}
OWN = {
    "wan": ("203.0.113.2/29", "2001:db8:100::2/64"),
    "dmz": ("203.0.113.66/27", "2001:db8:101::2/64"),
    "lan": ("10.190.0.2/28", "fd00:190::2/64"),
    "sync": ("10.191.0.1/30",),
}
ROUTES = (
    "0.0.0.0/0 via 203.0.113.4 dev wan",
    "::/0 via 2001:db8:100::4 dev wan",
    "10.177.0.0/16 via 10.190.0.4 dev lan",
    "fd00:300:0:3::/64 via fd00:190::4 dev lan",
)


@cache
def _designed() -> dict[str, Any]:
    intent = load_intent(SITE)
    known = {name: each.facts for name, each in platforms().items()}
    return firewall_host_vars(intent, design(intent, load_catalogue(), known))["firewall-1"].ansible()


def statistics(internal: int, external: int) -> str:
    """The beginning of what ``conntrackd -s`` prints."""
    return "\n".join(
        f"cache {name}:\ncurrent active connections:\t{number:12}\nconnections created:\t\t{number:12}\tfailed:\t0\n"
        for name, number in (("internal", internal), ("external", external))
    )


def variables(**changes: Any) -> dict[str, Any]:
    both = {"own": statistics(200, 0), "other": statistics(0, 190)}
    return {
        **_designed(),
        "host_validate_conntrackd": both,
        "firewall_kernel_at_run_time": True,
        "host_validate_generated": dict(TEXTS),
        **changes,
    }


def facts(*, is_owner: bool = True) -> dict[str, Any]:
    """``gpufabric_boundary`` of the firewall that has the shared addresses, or of the other one."""
    ports = {
        port: {"up": True, "carrier": True, "mac": "0c:42:a1:00:00:10", "addresses": ["fe80::1/64", *own]}
        for port, own in OWN.items()
    }
    for port, shared in SHARED.items() if is_owner else ():
        ports[port]["addresses"].extend(shared)
    return {
        "gpufabric_boundary": {
            "ports": ports,
            "wire": {port: {each.split("/")[0]: not is_owner for each in shared} for port, shared in SHARED.items()},
            "routes": list(ROUTES) if is_owner else [],
            "files": {path: hashlib.sha256(text.encode()).hexdigest() for path, text in TEXTS.items()},
            "tables": {
                "inet gpufabric_firewall": {"same": True, "there": True, "differs": ""},
                "ip gpufabric_nat": {"same": True, "there": True, "differs": ""},
            },
            "counters": {
                "inet gpufabric_firewall": {"refused": 7, "never": 0},
                "ip gpufabric_nat": {"untranslated": 2},
            },
            "logs": {NAT_LOG: 59},
            "strangers": [],
            "units": dict.fromkeys(UNITS, "enabled, active"),
            "settings": {
                "net.ipv4.ip_forward": "1",
                "net.netfilter.nf_conntrack_max": "262144",
                "net.netfilter.nf_conntrack_timestamp": "1",
                "net.netfilter.nf_conntrack_count": "1200",
            },
            "connections": {"heard": True, "internal": 3, "external": 0},
        }
    }

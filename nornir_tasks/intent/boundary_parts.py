"""Rules of single parts of the boundary."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nornir_tasks.intent.findings import Finding

if TYPE_CHECKING:
    from nornir_tasks.intent.boundary_model import BoundaryServiceIntent, HealthIntent


def service(each: "BoundaryServiceIntent") -> Iterator[Finding]:
    """A service without a port is none."""
    if not each.tcp and not each.udp and not each.ping:
        yield Finding((), "a service without ports", "tcp: 443, udp: 53, ping: true, or several of them")


def health(each: "HealthIntent") -> Iterator[Finding]:
    """Only HTTP knows paths, and needs one."""
    if each.check == "http" and each.path is None:
        yield Finding(("check",), "no path to ask for", "path: /healthz beside it, or check: tcp", each.check)
    if each.check == "tcp" and each.path is not None:
        yield Finding(("path",), "a path of a check that asks for none", "check: http, or no path", each.path)

"""Names that the systems which get them would refuse, and names of hosts that the boundary's own machines have.

Kubernetes: a node is called as RFC 1123 has names of hosts, a label's value ends in a letter or digit
(kubernetes/website, concepts/overview/working-with-objects/names.md and labels.md). Linux: systemd's hostnamed takes
letters, digits, dashes and dots (systemd, src/basic/hostname-util.c, hostname_is_valid). Switches:
``design/layout/switch_names.py``.
"""

import re
from collections.abc import Iterator

from nornir_tasks.intent.core.findings import Finding, Path, as_shown
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.boundary import BoundaryIntent
from nornir_tasks.intent.keys.site import Intent

BOUNDARY_GROUPS = ("firewalls", "balancers", "bastions", "relays")
"""Groups of Ansible's by which playbooks address the boundary's machines; its hosts would be taken for them."""

_LABEL = "Kubernetes refuses a label's value that ends so"


def names(intent: Intent) -> Iterator[Finding]:
    """Names of the site, its fabrics and the groups of hosts."""
    return independent(_of_site(intent), _of_fabrics(intent), _of_hosts(intent), _of_the_boundary(intent))


def _of_site(intent: Intent) -> Iterator[Finding]:
    yield from _ending(("site",), intent.site)


def _of_fabrics(intent: Intent) -> Iterator[Finding]:
    for name in intent.fabrics:
        yield from _ending(("fabrics", name), name)


def _ending(path: Path, name: str) -> Iterator[Finding]:
    """It is the value of a label of nodes (``nornir export k8s-labels``)."""
    if not name[-1].isalnum():
        yield Finding(path, "a name that does not end in a letter or digit", _better(name), as_shown(name), _LABEL)


def _of_hosts(intent: Intent) -> Iterator[Finding]:
    """Hosts are called after their group, and the group is the value of a label."""
    for name in intent.hosts:
        path: Path = ("hosts", name)
        if "_" in name:
            hint = "Kubernetes refuses a node whose name has an underscore (RFC 1123), and so does Linux's hostnamectl"
            yield Finding(path, f"hosts would be called {name}-1", _better(name), as_shown(name), hint)
        else:
            yield from _ending(path, name)


def _better(name: str) -> str:
    """The same name without what is refused in it."""
    return f"a name such as {re.sub(r'[^A-Za-z0-9.]+', '-', name).strip('-.') or 'gpu'}"


def _of_the_boundary(intent: Intent) -> Iterator[Finding]:
    """Two machines of one name would share an entry of the inventory, with the variables of both."""
    for name in intent.hosts:
        if name in BOUNDARY_GROUPS:
            what = "a group that playbooks address the boundary's machines by"
            yield Finding(("hosts", name), what, f"any name but {', '.join(BOUNDARY_GROUPS)}", name)
    for name, path in () if intent.boundary is None else _machines(intent.boundary):
        if name in intent.hosts:
            what = f"hosts would be called {name}-1 and on, as are machines of the boundary"
            yield Finding(("hosts", name), what, "another name", name, also=path)


def _machines(boundary: BoundaryIntent) -> Iterator[tuple[str, Path]]:
    """What the boundary's pairs are called, each with what asks for it."""
    yield "firewall", ("boundary", "firewalls")
    if boundary.gateways is not None:
        yield "gateway", ("boundary", "gateways")
    if boundary.relays is not None:
        yield "relay", ("boundary", "relays")
    if boundary.balancers is not None and boundary.balancers.at == "machines":
        yield "balancer", ("boundary", "balancers")
    if boundary.edge is not None:
        yield "edge", ("boundary", "edge")

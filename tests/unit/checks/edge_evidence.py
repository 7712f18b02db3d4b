"""What edge routers show that are as they should be, of every system that can be one."""

import tempfile
from functools import cache
from pathlib import Path

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.platforms.observed import BgpSession, Observed, SessionPrefixes
from nornir_tasks.usecases.validate import far_ends
from tests.unit.checks.good_switch import GOOD
from tests.unit.design import edge_systems

NAMES = ("edge-1", "edge-2")


@cache
def network_of(system: str) -> Network:
    """tests/sites/edge with this system at its edge."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fabric.yml").write_text(edge_systems.text_of(system), encoding="utf-8")
        return edge_systems.design_of(Path(folder)).network


def evidence(system: str) -> Evidence:
    """All sessions are up, each upstream has brought what is taken, and was told of all that is announced."""
    network = network_of(system)
    wanted = {each.name: device_config(network, each).config for each in network.devices}
    return Evidence(
        network=network,
        wanted=wanted,
        running=wanted,
        changes=dict.fromkeys(wanted, ()),
        observed={name: _observed(network, name) for name in NAMES},
        far=far_ends(network),
        unreachable={},
    )


def _observed(network: Network, name: str) -> Observed:
    assert network.edge is not None
    links = list(network.edge.on(name))
    sessions = [(link, each) for link in links for each in link.sessions]
    return Observed(
        device=name,
        **GOOD,
        ports=(),
        lldp=(),
        bgp=tuple(
            BgpSession(each.peer, link.asn, established=True, state="Established", prefixes_received=9)
            for link, each in sessions
        ),
        routes=(((None, "0.0.0.0/0"), 1), ((None, "192.0.2.0/24"), 1)),
        qos=(),
        dscp_to_priority=None,
        exchanged=tuple(
            SessionPrefixes(each.peer, 1 if link.takes == "default" else 700, len(each.announced))
            for link, each in sessions
        ),
    )

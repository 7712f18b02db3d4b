"""The pair of an NX-OS configuration (vPC): ``vpc domain``, and the peer link."""

import re
from dataclasses import dataclass, field

from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, number, row, table, yes
from nornir_tasks.platforms.nxos.reading import Remainder

PEER_LINK_MTU_BYTES = 9216
"""Of a peer link, without a line of it (Interfaces Configuration Guide 10.6(x), vPCs)."""
MANAGEMENT = "management"
"""The VRF of a keepalive whose line names none (tests/corpus/nxos/NOTES.md)."""

_DEFAULT_DELAY_S = 30
_DEFAULT_GATEWAY_DELAY_S = 10
_DEFAULT_PRIORITY = 32667
_IPV4 = r"\d+\.\d+\.\d+\.\d+"

_ALWAYS = ("peer-switch", "peer-gateway", "auto-recovery", "ipv6 nd synchronize", "ip arp synchronize")
"""Of every pair of ours: one bridge to others; packets that hosts send to the other's MAC address; a pair of which one
is left after a restart; the other's tables for one that comes back."""

_DOMAIN = (
    # cisco-network-node-utils, vpc.yaml: the defaults of a Nexus 9000
    row(r"role priority (\d+)", "priority", number, single="role priority", hidden=("role priority 32667",)),
    row(
        rf"peer-keepalive destination ({_IPV4})(?: source ({_IPV4}))?(?: vrf (\S+))?",
        "keepalive",
        lambda found: (found[1], found[2], found[3] or MANAGEMENT),
        single="peer-keepalive",
    ),
    row(
        r"delay restore (\d+)",
        "reload_delay_s",
        number,
        single=r"delay restore(?= \d+$)",
        hidden=("delay restore 30",),
    ),
    # tests/corpus/nxos/NOTES.md: 10 s unless set
    row(
        r"delay restore interface-vlan (\d+)",
        "gateway_delay_s",
        number,
        single="delay restore interface-vlan",
        hidden=("delay restore interface-vlan 10",),
    ),
    *(row(line, line, yes) for line in _ALWAYS),
)
_LINES = table(*_DOMAIN)
BLOCK = Block((r"vpc domain ",), _DOMAIN)

_NETWORK = "spanning-tree port type network"
OF_GROUP = (
    row(r"vpc (\d+)", "pair_id", number, single="vpc"),
    row(r"vpc peer-link", "is_peer_link", yes, single="vpc"),
    row(_NETWORK, "is_network", yes, single="spanning-tree port type"),
)


@dataclass(slots=True)
class PairReader:
    """Reads ``vpc domain``, which is complete with a keepalive and with a group that is its peer link."""

    remainder: Remainder
    peer_links: list[str] = field(default_factory=list)
    domains: list[tuple[int, ConfigTree]] = field(default_factory=list)

    def domain(self, found: re.Match[str], node: ConfigTree, _: Path) -> None:
        """``vpc domain 1``."""
        self.domains.append((int(found["number"]), node))

    def group(self, name: str, *, is_peer_link: bool, is_network: bool) -> None:
        """One group; spanning tree treats a peer link, and no other port, as one to a switch."""
        path = (f"interface {name}", _NETWORK)
        if is_peer_link:
            self.peer_links.append(name)
            if not is_network:
                self.remainder.missing(*path)
        elif is_network:
            self.remainder.tree.add_path(path)

    def finish(self) -> PairSettings | None:
        """The pair; its lines are left where it is incomplete."""
        if len(self.domains) == 1 and len(self.peer_links) == 1 and (made := self._pair(*self.domains[0])):
            return made
        for _, node in self.domains:
            self.remainder.unknown(node, ())
        for name in self.peer_links:
            self.remainder.tree.add_path((f"interface {name}", "vpc peer-link"))
        return None

    def _pair(self, domain: int, node: ConfigTree) -> PairSettings | None:
        values = self.remainder.read(node, (node.text,), _LINES)
        if "keepalive" not in values:
            return None
        for line in _ALWAYS:
            if line not in values:
                self.remainder.missing(node.text, line)
        address, source, vrf = values["keepalive"]
        return PairSettings(
            peer_link=self.peer_links[0],
            keepalive_address=address,
            keepalive_source=source,
            keepalive_vrf=None if vrf == "default" else vrf,
            reload_delay_s=values.get("reload_delay_s", _DEFAULT_DELAY_S),
            number=domain,
            priority=values.get("priority", _DEFAULT_PRIORITY),
            gateway_delay_s=values.get("gateway_delay_s", _DEFAULT_GATEWAY_DELAY_S),
        )

"""HSRP on an SVI parsed: one group, of one family or both alike, is the SVI's redundant gateway."""

import re
from dataclasses import dataclass, field

from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, number, read, row, table, text, yes
from nornir_tasks.platforms.nxos.reading import Handler, Remainder

VERSION = row(r"hsrp version 2", "hsrp", yes, single="hsrp version", hidden=("hsrp version 1",))
"""Version 1 is not printed (batfish/lab-validation, nxos_hsrp) and has no IPv6."""

_GROUP = (
    row(r"preempt", "preempt", yes),
    # cisco-network-node-utils, interface_hsrp_group.yaml: 100 is the default
    row(r"priority (\d+)", "priority", number, single=r"priority(?= \d+$)", hidden=("priority 100",)),
    row(r"ip (\d+\.\d+\.\d+\.\d+)", "address", text, single=r"ip(?= \d+\.\d+\.\d+\.\d+$)"),
    # a second IPv6 address is independent of the first
    row(r"ip ([0-9a-f:.]*:[0-9a-f:.]*)", "ipv6_addresses", text, many=True),
)
_LINES = table(*_GROUP)
_DEFAULT_PRIORITY = 100

BLOCK = Block((r"interface Vlan", r"hsrp \d+"), _GROUP)


@dataclass(slots=True)
class GatewayReader:
    """Gathers the groups of one SVI."""

    remainder: Remainder
    found: list[tuple[int, bool, Fields]] = field(default_factory=list)

    def handlers(self) -> tuple[tuple[re.Pattern[str], Handler], ...]:
        """Of the blocks of groups."""
        return ((re.compile(r"hsrp (\d+)( ipv6)?"), self._group),)

    def _group(self, found: re.Match[str], node: ConfigTree, above: Path) -> bool:
        values, unknown = read(node.children.values(), _LINES)
        is_ipv6, addresses = found[2] is not None, values.get("ipv6_addresses", [])
        of_the_other = "address" in values if is_ipv6 else addresses
        if unknown or of_the_other or len(addresses) > 1:
            return False
        if self.found and not self._is_alike(int(found[1]), is_ipv6, values):
            return False
        self.found.append((int(found[1]), is_ipv6, values))
        return True

    def _is_alike(self, group: int, is_ipv6: bool, values: Fields) -> bool:
        """Is it the other family of the group that there is?"""
        first, was_ipv6, there = self.found[0]
        same = all(there.get(key) == values.get(key) for key in ("preempt", "priority"))
        return len(self.found) == 1 and first == group and was_ipv6 is not is_ipv6 and same

    def gateway(self, values: Fields, path: Path) -> Gateway | None:
        """The redundant gateway; version 2 is for groups alone, and none of ours is without it."""
        if not self.found:
            if "hsrp" in values:
                self.remainder.tree.add_path((*path, "hsrp version 2"))
            return None
        if "hsrp" not in values:
            self.remainder.missing(*path, "hsrp version 2")
        group, _, first = self.found[0]
        address = next((each["address"] for _, _, each in self.found if "address" in each), None)
        six = next((each["ipv6_addresses"][0] for _, _, each in self.found if "ipv6_addresses" in each), None)
        priority = first.get("priority", _DEFAULT_PRIORITY)
        return Gateway(address, six, None, group, priority, preempt="preempt" in first)

"""Ports towards other networks: neither LLDP nor CDP, both ways."""

import re

from nornir_tasks.platforms.lines import Fields, row


def _whole(found: re.Match[str]) -> str:
    return found[0]


# cisco.nxos 11.1.0 nxos_lldp_interfaces: a port sends and takes LLDP unless told otherwise; batfish
# nxos_interface_show_all_2 has the other two in what a switch prints with all its defaults
ROWS = (
    row(r"no lldp transmit", "silences", _whole, many=True, hidden=("lldp transmit",)),
    row(r"no lldp receive", "silences", _whole, many=True, hidden=("lldp receive",)),
    row(r"no cdp enable", "silences", _whole, many=True, hidden=("cdp enable",)),
)
_ALL = frozenset({"no lldp transmit", "no lldp receive", "no cdp enable"})


def is_undisclosed(values: Fields) -> bool:
    """Of a routed port with all three; some without the others are not ours."""
    return "routed" in values and set(values.get("silences", ())) == _ALL

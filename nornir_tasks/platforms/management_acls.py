"""Access lists on our own path to a switch: those that packets of a push pass, as the running configuration tells."""

import re
from collections.abc import Iterable, Iterator, Sequence

from nornir_tasks.platforms.config_tree import ConfigTree

_LIST = r"(?:no )?ip(?:v6)? access-list (?:standard )?"


def filters(access: Iterable[ConfigTree], in_band: Sequence[ConfigTree], applies: re.Pattern[str]) -> Iterator[str]:
    """Patterns of protected lines: the lists of all these blocks, and the lines that apply any to in-band ports.

    ``access``: the management port, the API, the terminal lines and the like; ``applies``: matches a line that applies
    a list anywhere, with the list's name as its group ``name``.
    """
    lines = [path[-1] for node in (*access, *in_band) for path, _ in node.walk()]
    for name in sorted({found["name"] for line in lines if (found := applies.fullmatch(line))}):
        yield rf"{_LIST}{re.escape(name)}(?: |$)"
    for node in in_band:
        yield rf"{re.escape(node.text)} / (?:no )?ip(?:v6)? (?:port )?(?:access-group|traffic-filter) "


def in_band_ports(running: ConfigTree, management: str, vrfs: frozenset[str], vrf_line: str) -> list[ConfigTree]:
    """The ports that the switch may be reached through, if its management ports have no address: all in these VRFs.

    ``management``: how the first lines of management ports begin; ``vrf_line``: what stands before a port's VRF; an
    empty VRF is the default one.
    """
    ports = [node for text, node in running.children.items() if text.startswith("interface ")]
    if any(_has_address(node) for node in ports if node.text.startswith(management)):
        return []
    return [node for node in ports if _has_address(node) and _vrf_of(node, vrf_line) in vrfs]


def _has_address(port: ConfigTree) -> bool:
    return any(line.startswith(("ip address ", "ipv6 address ")) for line in port.children)


def _vrf_of(port: ConfigTree, vrf_line: str) -> str:
    return next((line.removeprefix(vrf_line) for line in port.children if line.startswith(vrf_line)), "")

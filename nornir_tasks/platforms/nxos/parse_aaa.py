"""NX-OS lines of TACACS+: its servers, our group of them, and that it is asked before local accounts.

A switch asks local accounts if no server answers, without a word of that (a published configuration of 10.3(4a),
document 70694988288: ``aaa authentication login default group ISE``).
"""

import re
from collections.abc import Iterator

from nornir_tasks.design.config.aaa import Tacacs
from nornir_tasks.intent.secret_name import PLACEHOLDER
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, row, text
from nornir_tasks.platforms.nxos.reading import Remainder

GROUP = "GPUFABRIC"
"""Name of our group of servers; the others' go."""

LINES = r"(?:tacacs-server|aaa) .+|feature tacacs\+"
LOGIN = "aaa authentication login default"
BLOCK = Block(
    (),
    (
        row(rf"{LOGIN} (.+)", "methods", text, single=LOGIN),
        row(r"tacacs-server host (\S+) key 7 (.+)", "host", text, single=r"tacacs-server host (\S+) key"),
    ),
)
_HOST = re.compile(rf'tacacs-server host (\S+) key 7 "({PLACEHOLDER})"')
_VRF = re.compile(r"use-vrf (\S+)")
_DEFAULT = "default"


class AaaReader:
    """Reads the lines of AAA."""

    def __init__(self, remainder: Remainder) -> None:
        self._remainder = remainder
        self._found: dict[Path, None] = {}

    def line(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """Keep a line until all have been seen."""
        del above
        self._found |= dict.fromkeys(((node.text,), *((node.text, *path) for path, _ in node.walk())))

    def finish(self) -> Tacacs | None:
        """TACACS+, if the lines say all that the model has of it and nothing else; else they are left."""
        hosts = [host for path in self._found if len(path) == 1 and (host := _HOST.fullmatch(path[0]))]
        named = [each[1] for path in self._found if len(path) == 2 and (each := _VRF.fullmatch(path[1]))]
        if hosts and named:
            vrf = None if named[0] == _DEFAULT else named[0]
            settings = Tacacs(tuple(each[1] for each in hosts), vrf, hosts[0][2])
            if set(_paths(settings)) == self._found.keys():
                return settings
        for path in self._found:
            self._remainder.tree.add_path(path)
        return None


def _paths(settings: Tacacs) -> Iterator[Path]:
    group = f"aaa group server tacacs+ {GROUP}"
    yield ("feature tacacs+",)
    yield from ((f'tacacs-server host {each} key 7 "{settings.key}"',) for each in settings.servers)
    yield from ((group,), (group, f"use-vrf {settings.vrf or _DEFAULT}"), (f"{LOGIN} group {GROUP}",))
    yield from ((group, f"server {each}") for each in settings.servers)

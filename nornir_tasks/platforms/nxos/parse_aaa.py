"""NX-OS lines of TACACS+ or RADIUS: servers, our group of them, and that it is asked before local accounts.

A switch asks local accounts if no server answers, without a word of that (a published configuration of 10.3(4a),
document 70694988288: ``aaa authentication login default group ISE``).
"""

import re
from collections.abc import Iterator

from nornir_tasks.design.config.aaa import Radius, Tacacs
from nornir_tasks.intent.core.secret_name import PLACEHOLDER
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, row, text
from nornir_tasks.platforms.nxos.reading import Remainder

GROUP, RADIUS_GROUP = "GPUFABRIC", "GPUFABRIC-RADIUS"
"""Names of our groups of servers."""

LINES = r"(?:(?:tacacs|radius)-server|aaa) .+|feature tacacs\+"
_TIMEOUT = "radius-server timeout"
LOGIN = "aaa authentication login default"
BLOCK = Block(
    (),
    (
        row(rf"{LOGIN} (.+)", "methods", text, single=LOGIN),
        row(r"tacacs-server host (\S+) key 7 (.+)", "host", text, single=r"tacacs-server host \S+"),
        row(r"radius-server host (\S+) key 7 (.+)", "host", text, single=r"radius-server host \S+"),
        row(rf"{_TIMEOUT} (\d+)", "timeout", text, single=_TIMEOUT),
    ),
)
_HOST = re.compile(rf'tacacs-server host (\S+) key 7 "({PLACEHOLDER})"')
_RADIUS = re.compile(rf'radius-server host (\S+) key 7 "({PLACEHOLDER})" authentication accounting')
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

    def finish(self) -> tuple[Tacacs | None, Radius | None]:
        """TACACS+ or RADIUS, if the lines say all that the model has of one and nothing else; else they are left."""
        top = [path[0] for path in self._found if len(path) == 1]
        named = [each[1] for path in self._found if len(path) == 2 and (each := _VRF.fullmatch(path[1]))]
        vrf = None if named == [_DEFAULT] or not named else named[0]
        hosts = [host for line in top if (host := _HOST.fullmatch(line))]
        tacacs = Tacacs(tuple(each[1] for each in hosts), vrf, hosts[0][2]) if hosts else None
        if tacacs is not None and set(_tacacs_paths(tacacs)) == self._found.keys():
            return tacacs, None
        hosts = [host for line in top if (host := _RADIUS.fullmatch(line))]
        if hosts:
            after = [line.removeprefix(f"{_TIMEOUT} ") for line in top if line.startswith(f"{_TIMEOUT} ")]
            timeout_s = int(after[0]) if after and after[0].isdecimal() else None
            radius = Radius(tuple(each[1] for each in hosts), vrf, hosts[0][2], timeout_s)
            if set(_radius_paths(radius)) == self._found.keys():
                return None, radius
        for path in self._found:
            self._remainder.tree.add_path(path)
        return None, None


def _tacacs_paths(settings: Tacacs) -> Iterator[Path]:
    yield ("feature tacacs+",)
    yield from ((f'tacacs-server host {each} key 7 "{settings.key}"',) for each in settings.servers)
    yield from _group("tacacs+", GROUP, settings)


def _radius_paths(settings: Radius) -> Iterator[Path]:
    for each in settings.servers:
        yield (f'radius-server host {each} key 7 "{settings.key}" authentication accounting',)
    if settings.timeout_s is not None:
        yield (f"{_TIMEOUT} {settings.timeout_s}",)
    yield from _group("radius", RADIUS_GROUP, settings)


def _group(kind: str, name: str, settings: Tacacs | Radius) -> Iterator[Path]:
    """The group of the servers, and that it is asked."""
    group = f"aaa group server {kind} {name}"
    yield from ((group,), (group, f"use-vrf {settings.vrf or _DEFAULT}"), (f"{LOGIN} group {name}",))
    yield from ((group, f"server {each}") for each in settings.servers)

"""EOS lines of TACACS+: its servers, our group of them, and that it is asked before local accounts."""

import re
from collections.abc import Iterator

from nornir_tasks.design.config.aaa import Tacacs
from nornir_tasks.intent.secret_name import PLACEHOLDER
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, row, text

GROUP = "GPUFABRIC"
"""Name of our group of servers; the others' go."""

LINES = r"(?:tacacs-server|aaa) .+"
LOGIN, EXEC = "aaa authentication login default", "aaa authorization exec default"
BLOCK = Block(
    (),
    (
        *(row(rf"{line} (.+)", "methods", text, single=line) for line in (LOGIN, EXEC)),
        row(r"tacacs-server (host .+)", "host", text, single=r"tacacs-server host (?:\S+ vrf )?\S+(?= key )"),
    ),
)

_HOST = re.compile(rf"tacacs-server host (\S+)(?: vrf (\S+))? key 7 ({PLACEHOLDER})")


def note_aaa(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    """Keep a line of AAA until all have been seen."""
    fields.setdefault("aaa", []).append(node)
    return []


def tacacs(fields: Fields, left: ConfigTree) -> Tacacs | None:
    """TACACS+, if the lines say all that the model has of it and nothing else; else they are left."""
    found: dict[Path, None] = {}
    for block in fields.get("aaa", ()):
        found |= dict.fromkeys(((block.text,), *((block.text, *path) for path, _ in block.walk())))
    hosts = [host for path in found if len(path) == 1 and (host := _HOST.fullmatch(path[0]))]
    settings = Tacacs(tuple(each[1] for each in hosts), hosts[0][2], hosts[0][3]) if hosts else None
    if settings is not None and set(_paths(settings)) == found.keys():
        return settings
    for path in found:
        left.add_path(path)
    return None


def _paths(settings: Tacacs) -> Iterator[Path]:
    vrf, group = f" vrf {settings.vrf}" if settings.vrf else "", f"aaa group server tacacs+ {GROUP}"
    yield from ((f"tacacs-server host {each}{vrf} key 7 {settings.key}",) for each in settings.servers)
    yield (group,)
    yield from ((group, f"server {each}{vrf}") for each in settings.servers)
    yield from ((f"{each} group {GROUP} local",) for each in (LOGIN, EXEC))

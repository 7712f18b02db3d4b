"""EOS lines of TACACS+ or RADIUS: servers, our group of them, and that it is asked before local accounts."""

import re
from collections.abc import Iterator

from nornir_tasks.design.config.aaa import Radius, Tacacs
from nornir_tasks.intent.core.secret_name import PLACEHOLDER
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, row, text

GROUP, RADIUS_GROUP = "GPUFABRIC", "GPUFABRIC-RADIUS"
"""Names of our groups of servers."""

LINES = r"(?:(?:tacacs|radius)-server|aaa) .+"
LOGIN, EXEC = "aaa authentication login default", "aaa authorization exec default"
BLOCK = Block(
    (),
    (
        *(row(rf"{line} (.+)", "methods", text, single=line) for line in (LOGIN, EXEC)),
        row(r"tacacs-server (host .+)", "host", text, single=r"tacacs-server host \S+(?: vrf \S+)?"),
        row(r"radius-server (host .+)", "host", text, single=r"radius-server host \S+(?: vrf \S+)?"),
    ),
    negations=(
        # um-eos User Security: "no aaa authentication login default", without its methods
        (r"(aaa (?:authentication|authorization|accounting) \S+ \S+).*", r"no \1"),
        # pyavd 6.4.0 eos__tacacs_servers, eos__radius_server: a server goes by address and VRF, a setting by its name
        (r"((?:tacacs|radius)-server (?:host \S+(?: vrf \S+)?|(?!host )\S+)).*", r"no \1"),
    ),
)

_HOST = re.compile(rf"tacacs-server host (\S+)(?: vrf (\S+))? key 7 ({PLACEHOLDER})")
_RADIUS = re.compile(rf"radius-server host (\S+)(?: vrf (\S+))?(?: timeout (\d+))? key 7 ({PLACEHOLDER})")


def note_aaa(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    """Keep a line of AAA until all have been seen."""
    fields.setdefault("aaa", []).append(node)
    return []


def servers(fields: Fields, left: ConfigTree) -> tuple[Tacacs | None, Radius | None]:
    """TACACS+ or RADIUS, if the lines say all that the model has of one and nothing else; else they are left."""
    found: dict[Path, None] = {}
    for block in fields.get("aaa", ()):
        found |= dict.fromkeys(((block.text,), *((block.text, *path) for path, _ in block.walk())))
    top = [path[0] for path in found if len(path) == 1]
    hosts = [host for line in top if (host := _HOST.fullmatch(line))]
    tacacs = Tacacs(tuple(each[1] for each in hosts), hosts[0][2], hosts[0][3]) if hosts else None
    if tacacs is not None and set(_tacacs_paths(tacacs)) == found.keys():
        return tacacs, None
    hosts = [host for line in top if (host := _RADIUS.fullmatch(line))]
    if hosts:
        timeout_s = int(hosts[0][3]) if hosts[0][3] else None
        radius = Radius(tuple(each[1] for each in hosts), hosts[0][2], hosts[0][4], timeout_s)
        if set(_radius_paths(radius)) == found.keys():
            return None, radius
    for path in found:
        left.add_path(path)
    return None, None


def _tacacs_paths(settings: Tacacs) -> Iterator[Path]:
    vrf = f" vrf {settings.vrf}" if settings.vrf else ""
    yield from ((f"tacacs-server host {each}{vrf} key 7 {settings.key}",) for each in settings.servers)
    yield from _group("tacacs+", GROUP, settings)


def _radius_paths(settings: Radius) -> Iterator[Path]:
    vrf = f" vrf {settings.vrf}" if settings.vrf else ""
    timeout = f" timeout {settings.timeout_s}" if settings.timeout_s is not None else ""
    yield from ((f"radius-server host {each}{vrf}{timeout} key 7 {settings.key}",) for each in settings.servers)
    yield from _group("radius", RADIUS_GROUP, settings)


def _group(kind: str, name: str, settings: Tacacs | Radius) -> Iterator[Path]:
    """The group of the servers, and that it is asked."""
    vrf, group = f" vrf {settings.vrf}" if settings.vrf else "", f"aaa group server {kind} {name}"
    yield (group,)
    yield from ((group, f"server {each}{vrf}") for each in settings.servers)
    yield from ((f"{each} group {name} local",) for each in (LOGIN, EXEC))

"""How an EOS switch is reached: its API, with our TLS profile in ``management security``, and SSH."""

import re
from collections.abc import Callable, Iterator

from nornir_tasks.design.config.access_lists import AccessList, Family
from nornir_tasks.design.config.reach import (
    CONTROL_LIST,
    FABRIC_LISTS,
    ApiSettings,
    ControlPlane,
    Reach,
    SshSettings,
)
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, number, read, row, table, text, yes

PROFILE = "GPUFABRIC"
"""Name of our TLS profile; others' stay."""

_API, _SECURITY, _OURS = "management api http-commands", "management security", f"ssl profile {PROFILE}"
_SERVED = f"protocol https {_OURS}"
_TLS = "tls versions 1.2"
_ON, _OFF = "no shutdown", "shutdown"
_SSH, _CONTROL = "management ssh", "system control-plane"

# one list for each VRF
_APPLIED = row(
    rf"ip access-group {CONTROL_LIST} vrf (\S+) in",
    "control_vrf",
    text,
    single=r"ip access-group(?= \S+ vrf (\S+) in$)",
)
_WORDS: dict[Family, str] = {"ipv4": "ip access-group", "ipv6": "ipv6 access-group"}
_FABRIC = tuple(
    row(rf"{word} {FABRIC_LISTS[family]} in", f"fabric_{family}", yes, single=rf"{word}(?= \S+ in$)")
    for family, word in _WORDS.items()
)
"""Of the default VRF."""
_APPLIED_LINES = table(_APPLIED, *_FABRIC)

BLOCKS = (
    Block(
        (rf"{_API}$",),
        (row(_SERVED, "profile", yes, single="protocol https ssl profile"),),
        # it is on unless "no protocol https" says otherwise (show running-config of cEOSLab 4.32)
        hidden=("protocol https",),
    ),
    Block(
        (rf"{_SECURITY}$", r"ssl profile "),
        (
            row(_TLS, "tls", yes, single="tls versions"),
            row(r"certificate (\S+)\.crt key \S+", "certificate", text, single="certificate"),
        ),
    ),
    Block((rf"{_CONTROL}$",), (_APPLIED, *_FABRIC)),
    Block((rf"{_SSH}$",), (row(r"idle-timeout (\d+)", "idle_minutes", number, single="idle-timeout"),)),
)

_IDLE = re.compile(r"idle-timeout (\d+)")
_VRF = re.compile(r"vrf (\S+)")
_CERTIFICATE = re.compile(r"certificate (\S+)\.crt key \1\.key")

Reader = Callable[[ConfigTree, re.Match[str], Fields], list[ConfigTree]]


def _note(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    fields.setdefault("api_blocks", []).append(node)
    return []


def _note_ssh(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    fields["ssh_block"] = node
    return []


def _note_control(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    values, unknown = read(node.children.values(), _APPLIED_LINES)
    fields.update(values)
    return unknown


READERS: tuple[tuple[str, Reader], ...] = (
    (_API, _note),
    (_SECURITY, _note),
    (_SSH, _note_ssh),
    (_CONTROL, _note_control),
)


def reach(fields: Fields, left: ConfigTree) -> Reach:
    """All that the model has of it; other lines are left."""
    control = _control_plane(fields)
    return Reach(api=_api(fields, left), ssh=_ssh(fields, left), control_plane=control, fabric=_fabric(fields))


def _api(fields: Fields, left: ConfigTree) -> ApiSettings | None:
    """The API, if both blocks say all that the model has of it; all other lines of theirs are left."""
    found: dict[Path, None] = {}
    for block in fields.get("api_blocks", ()):
        found |= dict.fromkeys(((block.text,), *((block.text, *path) for path, _ in block.walk())))
    settings = _settings(found)
    understood = set(_paths(settings)) if settings else set[Path]()
    if not understood <= found.keys():
        settings, understood = None, set()
    for path in found.keys() - understood:
        left.add_path(path)
    return settings


def _settings(found: dict[Path, None]) -> ApiSettings | None:
    """The settings that these lines may be of; the first VRF, if there are several."""
    named = (_CERTIFICATE.fullmatch(path[-1]) for path in found if path[:-1] == (_SECURITY, _OURS))
    certificate = next((each[1] for each in named if each), None)
    vrfs = (each[1] for path in found if path[0] == _API and len(path) == 2 and (each := _VRF.fullmatch(path[1])))
    return None if certificate is None else ApiSettings(certificate, next(vrfs, None))


def _paths(settings: ApiSettings) -> Iterator[Path]:
    yield from ((_API,), (_API, _SERVED), (_API, _ON))
    if settings.vrf:
        yield from ((_API, f"vrf {settings.vrf}"), (_API, f"vrf {settings.vrf}", _ON))
    files = f"certificate {settings.certificate}.crt key {settings.certificate}.key"
    yield from ((_SECURITY,), (_SECURITY, _OURS), (_SECURITY, _OURS, _TLS), (_SECURITY, _OURS, files))


def _ssh(fields: Fields, left: ConfigTree) -> SshSettings | None:
    """SSH, if it is on in one VRF alone, or in the default one; all other lines are left."""
    node: ConfigTree | None = fields.get("ssh_block")
    found = [path for path, _ in node.walk()] if node is not None else []
    minutes = next((int(each[1]) for path in found if len(path) == 1 and (each := _IDLE.fullmatch(path[0]))), None)
    vrf = next((each[1] for path in found if len(path) == 1 and (each := _VRF.fullmatch(path[0]))), None)
    understood: set[Path] = {(f"idle-timeout {minutes}",)}
    if vrf is not None:
        understood |= {(_OFF,), (f"vrf {vrf}",), (f"vrf {vrf}", _ON)}
    is_whole = minutes is not None and understood <= set(found)
    for path in found:
        if not is_whole or path not in understood:
            left.add_path((_SSH, *path))
    return SshSettings(minutes, vrf) if is_whole and minutes is not None else None


def _control_plane(fields: Fields) -> ControlPlane | None:
    """Where the list of the control plane is applied; its rules come with the other lists."""
    vrf = fields.get("control_vrf")
    return None if vrf is None else ControlPlane((), vrf)


def _fabric(fields: Fields) -> tuple[AccessList, ...]:
    """The lists that are applied in the default VRF; their rules come with the other lists."""
    found = (family for family in _WORDS if f"fabric_{family}" in fields)
    return tuple(AccessList(FABRIC_LISTS[family], family, ()) for family in found)

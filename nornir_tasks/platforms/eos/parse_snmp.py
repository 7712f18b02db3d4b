"""EOS lines of SNMPv3: engine, users, our group and view, and where notifications go."""

import re
from collections.abc import Iterator

from nornir_tasks.design.config.snmp import Snmp, SnmpUser
from nornir_tasks.intent.core.secret_name import PLACEHOLDER
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.lines import Block, Fields, row, text

OURS = "GPUFABRIC"
"""Name of our group and our view; the others' go."""

LINES = r"(?:no )?snmp-server .+"
_ENGINE, _CONTACT, _LOCATION = "snmp-server engineID local", "snmp-server contact", "snmp-server location"
BLOCK = Block(
    (),
    (
        *(
            row(rf"{line} (.+)", "snmp", text, single=line, negation=(rf"({line}) .*", r"no \1"))
            for line in (_ENGINE, _CONTACT, _LOCATION)
        ),
        # pyavd 6.4.0 eos__snmp_server: a user is known by name and group, a group by its security, a view by its
        # subtree; so no key stands in a line that removes it
        row(
            r"snmp-server user (\S+ \S+ v3) (.+)",
            "snmp",
            text,
            single=r"snmp-server user (\S+ \S+ v3)(?= )",
            negation=(r"(snmp-server user \S+ \S+)(?: remote \S+)?( v\S+).*", r"no \1\2"),
        ),
        row(
            r"snmp-server group (\S+ v3 \S+) (.+)",
            "snmp",
            text,
            single=r"snmp-server group (\S+ v3 \S+)(?= |$)",
            negation=(r"(snmp-server group \S+ v(?:3 )?\S+).*", r"no \1"),
        ),
        row(
            r"snmp-server view (\S+ \S+) (.+)",
            "snmp",
            text,
            single=r"snmp-server view (\S+ \S+)(?= )",
            negation=(r"(snmp-server view \S+ \S+).*", r"no \1"),
        ),
    ),
)

_USER = re.compile(
    rf"snmp-server user (\S+) {OURS} v3 localized (\S+) auth (sha|sha256) ({PLACEHOLDER}) priv aes ({PLACEHOLDER})"
)
_HOST = re.compile(r"snmp-server host ([0-9a-f:.]+)(?: vrf \S+)? version 3 priv (\S+)")
_VRF = re.compile(r"snmp-server vrf (\S+)")


def note_snmp(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    """Keep a line of SNMP until all have been seen."""
    fields.setdefault("snmp", {})[node.text] = node
    return []


def snmp(fields: Fields, left: ConfigTree) -> Snmp | None:
    """SNMP, if the lines say all that the model has of it; what else they say is left."""
    found = dict.fromkeys(fields.get("snmp", ()))
    users = [each for line in found if (each := _USER.fullmatch(line))]
    hosts = [each for line in found if (each := _HOST.fullmatch(line))]
    settings = Snmp(
        users=tuple(SnmpUser(each[1], "sha" if each[3] == "sha" else "sha256", each[4], each[5]) for each in users),
        vrf=next((each[1] for line in found if (each := _VRF.fullmatch(line))), None),
        engine=_value(found, _ENGINE),
        location=_value(found, _LOCATION),
        contact=_value(found, _CONTACT),
        targets=tuple(each[1] for each in hosts),
        target_user=hosts[0][2] if hosts else None,
    )
    of_model = frozenset(_lines(settings))
    is_whole = bool(users) and of_model <= found.keys() and {each[2] for each in users} == {settings.engine}
    for line in found:
        if not is_whole or line not in of_model:
            left.add(line)
    return settings if is_whole else None


def _value(lines: dict[str, None], beginning: str) -> str | None:
    return next((line[len(beginning) + 1 :] for line in lines if line.startswith(f"{beginning} ")), None)


def _lines(found: Snmp) -> Iterator[str]:
    yield from (f"{name} {value}" for name, value in _named(found) if value is not None)
    yield f"snmp-server view {OURS} iso included"
    yield f"snmp-server group {OURS} v3 priv read {OURS}"
    for each in found.users:
        keys = f"auth {each.auth} {each.auth_key} priv aes {each.privacy_key}"
        yield f"snmp-server user {each.name} {OURS} v3 localized {found.engine} {keys}"
    vrf = f" vrf {found.vrf}" if found.vrf else ""
    yield from (f"snmp-server host {each}{vrf} version 3 priv {found.target_user}" for each in found.targets)
    if found.vrf:
        yield from ("no snmp-server vrf default", f"snmp-server vrf {found.vrf}")


def _named(found: Snmp) -> tuple[tuple[str, str | None], ...]:
    return (_ENGINE, found.engine), (_CONTACT, found.contact), (_LOCATION, found.location)

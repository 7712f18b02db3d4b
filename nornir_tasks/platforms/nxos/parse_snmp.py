"""NX-OS lines of SNMPv3: users, and where notifications go."""

import re
from collections.abc import Iterator

from nornir_tasks.design.config.snmp import KeyForm, Snmp, SnmpAuth, SnmpUser
from nornir_tasks.intent.core.secret_name import PLACEHOLDER
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, row, text
from nornir_tasks.platforms.nxos.reading import Remainder

LINES = r"snmp-server .+"
_CONTACT, _LOCATION, _ROLE = "snmp-server contact", "snmp-server location", "network-operator"
BLOCK = Block(
    (),
    (
        *(row(rf"{line} (.+)", "snmp", text, single=line) for line in (_CONTACT, _LOCATION)),
        # a user is known by its name, whatever its role
        row(r"snmp-server user (\S+) (.+)", "snmp", text, single=r"snmp-server user (\S+)(?= (?:\S+ )?auth )"),
    ),
)
_AUTHS: tuple[tuple[SnmpAuth, str], ...] = (("sha", "sha"), ("sha256", "sha-256"))
_FORMS: tuple[tuple[KeyForm, str], ...] = (("v1", "localizedkey"), ("v2", "localizedV2key"))
AUTHS, FORMS = dict(_AUTHS), dict(_FORMS)
_AUTH_OF, _FORM_OF = {word: each for each, word in _AUTHS}, {word: each for each, word in _FORMS}
_USER = re.compile(
    rf"snmp-server user (\S+) {_ROLE} auth (sha|sha-256) ({PLACEHOLDER}) priv aes-128 ({PLACEHOLDER})"
    r" (localizedkey|localizedV2key)"
)
_HOST = re.compile(r"snmp-server host ([0-9a-f:.]+) traps version 3 priv (\S+)")
_VRF = re.compile(r"snmp-server host (\S+) use-vrf (\S+)")


class SnmpReader:
    """Reads the lines of SNMP."""

    def __init__(self, remainder: Remainder) -> None:
        self._remainder = remainder
        self._found: dict[str, ConfigTree] = {}

    def line(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """Keep a line until all have been seen."""
        del above
        self._found[node.text] = node

    def finish(self) -> Snmp | None:
        """SNMP, if the lines say all that the model has of it; what else they say is left."""
        users = [each for line in self._found if (each := _USER.fullmatch(line))]
        hosts = [each for line in self._found if (each := _HOST.fullmatch(line))]
        vrfs = {each[1]: each[2] for line in self._found if (each := _VRF.fullmatch(line))}
        settings = Snmp(
            users=tuple(SnmpUser(each[1], _AUTH_OF[each[2]], each[3], each[4], _FORM_OF[each[5]]) for each in users),
            vrf=vrfs.get(hosts[0][1]) if hosts else None,
            location=self._value(_LOCATION),
            contact=self._value(_CONTACT),
            targets=tuple(each[1] for each in hosts),
            target_user=hosts[0][2] if hosts else None,
        )
        of_model = frozenset(_lines(settings))
        is_whole = bool(users) and of_model <= self._found.keys()
        for line in self._found:
            if not is_whole or line not in of_model:
                self._remainder.tree.add(line)
        return settings if is_whole else None

    def _value(self, beginning: str) -> str | None:
        return next((each[len(beginning) + 1 :] for each in self._found if each.startswith(f"{beginning} ")), None)


def _lines(found: Snmp) -> Iterator[str]:
    for name, value in ((_CONTACT, found.contact), (_LOCATION, found.location)):
        if value is not None:
            yield f"{name} {value}"
    for each in found.users:
        keys = f"auth {AUTHS[each.auth]} {each.auth_key} priv aes-128 {each.privacy_key}"
        yield f"snmp-server user {each.name} {_ROLE} {keys} {FORMS[each.form]}"
    for address in found.targets:
        yield f"snmp-server host {address} traps version 3 priv {found.target_user}"
        if found.vrf:
            yield f"snmp-server host {address} use-vrf {found.vrf}"

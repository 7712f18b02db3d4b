"""What kind of line a line is: the words of the system kept, all that somebody chose replaced by what it stands for."""

import re
from functools import cache

from tests.foreign.lines import Path

_TEXTS = re.compile(
    r"^((?:neighbor \S+ )?description|\d+ remark|remark|banner \S+|snmp-server (?:contact|location)|exec|alias \S+"
    r"|action bash|ip prefix-list \S+ description|comment|logging event \S+ message|clock timezone|set as-path prepend"
    r"|ip as-path access-list \S+ (?:seq \d+ )?(?:permit|deny)|boot (?:system|nxos)|prompt|username \S+ \S+.*?"
    r"|ip community-list expanded \S+ seq \d+ (?:permit|deny)) .*"
)
_NAME = r"(?!\{)(\S+)"
_NAMED = tuple(
    re.compile(rf"\b({before}) {_NAME}")
    for before in (
        r"route-map",
        r"(?:ip|ipv6) prefix-list",
        r"prefix-list",
        r"(?:ip|ipv6|mac) access-list (?:standard |extended )?(?!standard|extended)",
        r"as-path access-list",
        r"access-group(?: name)?(?! name)",
        r"access-class",
        r"(?:traffic-filter)",
        r"community-list (?:standard |expanded |regexp )?(?!standard|expanded|regexp)",
        r"match (?:as-path|community)",
        r"vrf (?:instance|context|member)",
        r"(?:use-)?vrf(?! instance| context| member| definition)",
        r"peer[- ]group",
        r"peer-filter",
        r"inherit (?:peer|peer-policy|peer-session|port-profile)",
        r"template (?:peer|peer-policy|peer-session)",
        r"class-map (?:type \S+ )?(?:match-any |match-all )?(?!type|match-)",
        r"policy-map (?:type \S+ )?(?!type)",
        r"^class (?:type \S+ )?(?!type)",
        r"service-policy (?:type \S+ )?(?:input|output)(?: name)?",
        r"qos profile",
        r"service-profile",
        r"hostname",
        r"switchname",
        r"^name",
        r"^alias",
        r"vlan-aware-bundle",
        r"^(?:no |default )?neighbor(?! interface)",
        r"maintenance profile|profile bgp|profile interface",
        r"domain-id",
        r"dns domain",
        r"domain-name",
        r"trunk group",
        r"daemon",
        r"event-handler",
        r"snmp-server (?:community|group|user|view|engineID local)",
        r"(?:snmp-server host \S+ .*version \S+(?: \S+)?)",
        r"(?:group server) (?:tacacs\+|radius|ldap)",
        r"(?:default|console|login) group",
        r"router (?:ospf|ospfv3|isis|eigrp|rip)",
        r"ip router (?:ospf|isis|eigrp)",
        r"isis enable",
        r"(?:ssl|queue|sand|unit) profile",
        r"monitor session",
        r"track",
        r"key chain",
        r"link tracking group",
        r"username",
        r"role(?: name)?(?! priority)",
        r"source-interface",
        r"local-interface",
        r"update-source",
        r"peer-link(?= \S)",
    )
)
_SECRET = re.compile(
    r"\b(password|key|secret|md5|key-string|auth \S+|priv \S+|localized|passphrase) (?:(\d|8a|sha512) )?(\S+)"
)
_INTERFACES = (
    (re.compile(r"^(?:Eth(?:ernet)?|Et)\s?[\d/]+\.\d+$", re.IGNORECASE), "{port}.{n}"),
    (re.compile(r"^(?:Eth(?:ernet)?|Et|GigabitEthernet|swp)\s?\d[\d/,s-]*$", re.IGNORECASE), "{port}"),
    (re.compile(r"^(?:Port-?channel|po)\d+\.\d+$", re.IGNORECASE), "{lag}.{n}"),
    (re.compile(r"^(?:Port-?channel|po|bond)[\d,-]+$", re.IGNORECASE), "{lag}"),
    (re.compile(r"^(?:Loopback|lo)\d+$", re.IGNORECASE), "{loopback}"),
    (re.compile(r"^vlan[\d,-]+$", re.IGNORECASE), "{svi}"),
    (re.compile(r"^(?:Management|mgmt|ma)[\d/]+$", re.IGNORECASE), "{mgmt}"),
    (re.compile(r"^(?:vxlan|nve|tunnel|dps)\d+$", re.IGNORECASE), "{tunnel}"),
)
_VALUES = (
    (re.compile(r"^\d+\.\d+\.\d+\.\d+/\d+$"), "{prefix}"),
    (re.compile(r"^\d+\.\d+\.\d+\.\d+(?::\d+)?$"), "{ip}"),
    (re.compile(r"^[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}$|^(?:[\da-f]{2}[:-]){5}[\da-f]{2}$", re.IGNORECASE), "{mac}"),
    (re.compile(r"^[\da-f:]*::?[\da-f:.]*/\d+$", re.IGNORECASE), "{prefix6}"),
    (re.compile(r"^[\da-f]*:[\da-f]*:[\da-f:.]*$", re.IGNORECASE), "{ip6}"),
    (re.compile(r"^\d[\d.,:-]*[%gGmMkKs]?$|^\d+[gGmM]?(?:-\d)?$"), "{n}"),
    (re.compile(r"^[\w-]+(?:\.[\w-]*[a-z][\w-]*)+\.?$", re.IGNORECASE), "{host}"),
)
_PLAIN = {
    "Null0",
    "EOF",
    "null0",
    "TerminAttr",
    "ipv4",
    "ipv6",
    "icmpv6",
    "ospfv3",
    "l2vpn",
    "vpnv4",
    "vpnv6",
    "md5",
    "sha1",
}
_PLAIN |= {"sha256", "sha512", "layer3", "dot1q", "ip-l4port-vlan", "ip-l4port", "aes-128", "wred-queue", "8021q"}
_CHOICES = {
    "on": "{on|off}",
    "off": "{on|off}",
    **dict.fromkeys(("igp", "egp", "incomplete"), "{origin}"),
    **dict.fromkeys(("enable", "disable"), "{enable|disable}"),
}
_LEVELS = ("emergencies", "alerts", "critical", "errors", "warnings", "notifications", "informational", "debugging")
_CHOICES |= dict.fromkeys(_LEVELS, "{level}")
_OF_NVUE = tuple(
    (re.compile(rf"^({where}) / [^/ ]+"), r"\1 / {name}")
    for where in (
        r"acl",
        r"vrf(?! / (?:default|mgmt)\b)",
        r"router / policy / [\w-]+",
        r"router / pbr / map",
        r"vrf / [^/]+ / router / bgp / peer-group",
        r"qos / (?!roce)[\w-]+(?! / default-global)",
        r"system / aaa / (?:user|class|role)",
        r"router / bfd / profile",
        r"interface / [^/]+ / acl",
        r"system / snmp-server / [\w-]+",
        r"service / dhcp-relay / [^/]+ / server-group",
        r"bridge / domain(?! / br_default)",
        r"router / nexthop / group",
    )
)


@cache
def kind(os: str, path: Path) -> str:
    """The kind of a line: its own words, below those of the lines above it."""
    return _of_data(path) if os == "nvue" else " / ".join(_of_line(each) for each in path)


@cache
def _of_line(line: str) -> str:
    line = re.sub(r"^(interface \S+?) (?=\d)", r"\1", line)
    line = _TEXTS.sub(r"\1 {text}", line)
    line = _SECRET.sub(lambda each: " ".join(filter(None, (each[1], each[2] and "{n}", "{secret}"))), line)
    for pattern in _NAMED:
        line = pattern.sub(_with_name, line)
    words = [_of_word(word) for word in line.split()]
    shorter = [word for at, word in enumerate(words) if word != "{n}" or words[at - 1 : at] != ["{n}"]]
    return re.sub(r"^(no )?(\{n\}) (permit|deny) (?:\S+) .*", r"\1\2 \3 {match}", " ".join(shorter))


def _with_name(found: re.Match[str]) -> str:
    return f"{found[1]} {_of_word(found[2]) if _of_word(found[2]) != found[2] else '{name}'}"


@cache
def _of_word(word: str) -> str:
    if word.startswith("{") or word in _PLAIN:
        return word
    if word in _CHOICES:
        return _CHOICES[word]
    bare = word.strip("'\"").rstrip(",")
    for pattern, meaning in (*_INTERFACES, *_VALUES):
        if pattern.match(bare):
            return meaning
    return "{name}" if re.search(r"[A-Z_]|\w\d|[@'\"$^]", bare) else word


def _of_data(path: Path) -> str:
    keys = [*path[:-1], path[-1].partition(": ")[0]]
    keys = [_of_key(each) for each in keys]
    text = " / ".join(keys)
    for pattern, meaning in _OF_NVUE:
        text = pattern.sub(meaning, text)
    return text


@cache
def _of_key(key: str) -> str:
    if key in ("lo", "eth0", "br_default", "802.1Q", "802.1x"):
        return key
    for pattern, meaning in (*_INTERFACES, *_VALUES):
        if pattern.match(key):
            return meaning
    return re.sub(r"^(?:swp|bond)\d[\ds]*\.\d+$", "{port}.{n}", key)

"""A rule as nftables spells it, from its JSON: for people to find the line that decides."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_MOST = 4
"""So many elements of a set are spelled."""
_QUOTED = {"iifname", "oifname"}


def in_words(statements: Sequence[Mapping[str, Any]]) -> str:
    """All statements of a rule."""
    return " ".join(map(_statement, statements))


def _statement(each: Mapping[str, Any]) -> str:
    kind, body = next(iter(each.items()))
    return _SPELLED[kind](body) if kind in _SPELLED else f"{kind} {_value(body)}".rstrip()


def _match(body: Mapping[str, Any]) -> str:
    sign = "" if body["op"] in ("==", "in") else f"{body['op']} "
    left = _value(body["left"])
    right = _value(body["right"], quoted=left in _QUOTED)
    return f"{left} {sign}{right}"


def _counter(body: object) -> str:
    return f'counter name "{body}"' if isinstance(body, str) else "counter"


def _limit(body: Mapping[str, Any]) -> str:
    over = "over " if body.get("inv") else ""
    return f"limit rate {over}{body.get('rate')}/{body.get('per')}"


def _set(body: Mapping[str, Any]) -> str:
    within = f" {in_words(body['stmt'])}" if body.get("stmt") else ""
    return f"{body['op']} {body['set']} {{ {_value(body['elem'])}{within} }}"


def _vmap(body: Mapping[str, Any]) -> str:
    return f"{_value(body['key'])} vmap {_value(body['data'])}"


def _translated(word: str) -> Callable[[Any], str]:
    def spelled(body: Mapping[str, Any] | None) -> str:
        if not body:
            return word
        port = f":{_value(body['port'])}" if "port" in body else ""
        return f"{word} to {_value(body.get('addr'))}{port}"

    return spelled


_SPELLED: Mapping[str, Callable[[Any], str]] = {
    "match": _match,
    "counter": _counter,
    "limit": _limit,
    "set": _set,
    "vmap": _vmap,
    "jump": lambda body: f"jump {body['target']}",
    "goto": lambda body: f"goto {body['target']}",
    "snat": _translated("snat"),
    "dnat": _translated("dnat"),
    "masquerade": _translated("masquerade"),
    "reject": lambda _: "reject",
}


def _value(found: object, *, quoted: bool = False) -> str:
    if isinstance(found, Mapping):
        kind, body = next(iter(found.items()))
        if kind in _NAMES:
            return _names(kind, body, quoted=quoted)
        return _PARTS[kind](body) if kind in _PARTS else kind if body is None else f"{kind} {_value(body)}"
    if isinstance(found, list | tuple):
        return ",".join(map(_value, found))
    if found is None:
        return ""
    return f'"{found}"' if quoted else str(found)


def _names(kind: str, body: Sequence[Any], *, quoted: bool) -> str:
    """Values that are in quotation marks where they are names of ports."""
    if kind == "concat":
        return " . ".join(_value(each, quoted=quoted) for each in body)
    more = ", ..." if len(body) > _MOST else ""
    return f"{{ {', '.join(_element(each, quoted=quoted) for each in body[:_MOST])}{more} }}"


def _element(found: object, *, quoted: bool) -> str:
    if isinstance(found, list) and len(found) == 2:
        return f"{_value(found[0], quoted=quoted)} : {_value(found[1])}"
    return _value(found, quoted=quoted)


_NAMES = {"concat", "set"}
_PARTS: Mapping[str, Callable[[Any], str]] = {
    "payload": lambda body: f"{body['protocol']} {body['field']}" if "protocol" in body else "payload",
    "meta": lambda body: body["key"] if body["key"] in _QUOTED | {"iif", "oif"} else f"meta {body['key']}",
    "ct": lambda body: f"ct {body['key']}",
    "prefix": lambda body: f"{body['addr']}/{body['len']}",
    "range": lambda body: f"{_value(body[0])}-{_value(body[1])}",
    "&": lambda body: f"{_value(body[0])} & {_value(body[1])}",
    "elem": lambda body: _value(body["val"]),
    "jump": lambda body: f"jump {body['target']}",
    "goto": lambda body: f"goto {body['target']}",
}

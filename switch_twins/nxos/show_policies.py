"""show policy-map and show class-map, from the switch's own committed configuration.

Tables and field names: Nexus 9000 Show Command Reference 9.3(x), ``__readonly__`` parts of "show policy-map",
"show policy-map system" and "show class-map" (documents 60212669263, 60027499105). Text: 93180YC-EX laboratory notes,
document 69641041041, and published outputs. One action row per line of a class; single values are spelt as here.
"""

from __future__ import annotations

from ..engine import Node
from .reply import Body, Reply, View, table

_DEFAULTS = {
    "network-qos": "default-8q-nq-policy",
    "queuing output": "default-8q-out-policy",
    "queuing input": "default-in-policy",
}


def attached(view: View, kind: str, direction: str = "") -> Node | None:
    """The policy-map attached under ``system qos``, None while it is the default."""
    system = view.store.running.first("system qos")
    name = system.value(f"service-policy type {kind} {direction}".strip(), "name") if system else None
    return view.store.running.first(f"policy-map type {kind} {name}") if name else None


# -- as data -------------------------------------------------------------------------------------------------------


def _action(number: int, line: Node) -> Body:
    """One line of a class as the fields of the reference."""
    words, p = line.words.split(), line.params
    row: Body = {"action-key": str(number)}
    if words[:2] == ["set", "qos-group"]:
        row["qos-group"] = p["group"]
    elif words[:2] == ["set", "dscp"]:
        row["dscp"] = p["dscp"]
    elif words[:2] == ["pause", "pfc-cos"]:
        row |= {"pause": "pause", "pfc-cos-list": p["cos"]}
    elif words[0] == "mtu":
        row["mtu"] = p["bytes"]
    elif words[0] == "priority":
        row["prio-level"] = p.get("level", "1")
    elif words[:2] == ["bandwidth", "remaining"]:
        row |= {"rem-bw-units": "percent", "rem-bw-rate": p["percent"]}
    elif words[0] == "bandwidth":
        row |= {"bw-units": "percent", "bw-rate": p["percent"]}
    elif words[:2] == ["random-detect", "minimum-threshold"]:
        row |= _random_detect(words, p)
    elif words[:2] == ["pause", "buffer-size"]:
        row |= {"pause": "pause", "size-in-bytes": p["buffer"], "xoff-bytes": p["pause"], "xon-bytes": p["resume"]}
    return row


def _random_detect(words: list[str], p: dict[str, str]) -> Body:
    thresholds = {
        "rdet-key": "1",
        "rdet-min-thresh": p["low"],
        "rdet-size-units": words[3],
        "rdet-max-thresh": p["high"],
        "rdet-drop-prob": p["p"],
        "rdet-weight": p["w"],
    }
    return {**table("rdet", [thresholds]), **({"rdet-ecn": "ecn"} if "ecn" in words else {})}


def _class_rows(policy: Node, prefix: str = "") -> list[Body]:
    """The classes of a policy; prefix ``x`` gives the names of network-qos policies."""
    rows = []
    for number, node in enumerate(policy.find("class"), start=1):
        actions = [_action(key, line) for key, line in enumerate(node.ordered(), start=1)]
        if prefix:
            actions = [{f"{prefix}action-key": a.pop("action-key"), **a} for a in actions]
        key = {} if prefix else {"cmap-key": str(number)}
        rows.append({**key, f"{prefix}cmap-name": node.params["name"], **table(f"{prefix}action", actions)})
    return rows


def _policy_row(policy: Node, name_field: str) -> Body:
    if policy.words.split()[2] == "network-qos":
        return {"xpmap-name": policy.params["name"], **table("xcmap", _class_rows(policy, "x"))}
    return {"pmap-key": "1", name_field: policy.params["name"], **table("cmap", _class_rows(policy))}


def _policies(policies: list[Node], name_field: str) -> Body:
    is_network = bool(policies) and policies[0].words.split()[2] == "network-qos"
    return table("xpmap" if is_network else "pmap", [_policy_row(policy, name_field) for policy in policies])


# -- as text -------------------------------------------------------------------------------------------------------


def _text(policies: list[Node], kind: str) -> str:
    lines = ["", f"  Type {kind} policy-maps", f"  {'=' * 30}", ""]
    for policy in policies:
        lines.append(f"  {policy.words}")
        for node in policy.find("class"):
            lines.append(f"    {node.words}")
            lines += [f"      {line.line}" for line in node.ordered()]
    return "\n".join(lines) + "\n"


# -- commands ------------------------------------------------------------------------------------------------------


def policy_map(view: View, kind: str, name: str | None = None) -> Reply:
    """Show policy-map type qos|queuing|network-qos [NAME]: the configuration."""
    policies = [p for p in view.store.running.find(f"policy-map type {kind}") if name in (None, p.params["name"])]
    return Reply(_text(policies, kind), _policies(policies, "pmap-name-out"))


def system_policy(view: View, kind: str, direction: str | None = None) -> Reply:
    """Show policy-map system type network-qos|queuing|qos [input|output]: the attached policies."""
    directions = [""] if kind == "network-qos" else [direction] if direction else ["input", "output"]
    policies = [policy for way in directions if (policy := attached(view, kind, way)) is not None]
    if policies:
        return Reply(_text(policies, kind), _policies(policies, "pmap-name"))
    name = _DEFAULTS.get(f"{kind} {directions[-1]}".strip())
    field, key = ("xpmap-name", "xpmap") if kind == "network-qos" else ("pmap-name", "pmap")
    return Reply(
        f"\n  Type {kind} policy-maps\n\n  policy-map type {kind} {name}\n", table(key, [{field: name}] if name else [])
    )


def interface_policy(view: View, name: str | None = None, kind: str | None = None) -> Reply:
    """Show policy-map interface [X] [type qos|queuing]: each port with its attached policies."""
    lines = ["", "Global statistics status :   enabled", ""]
    rows = []
    for node in view.interfaces():
        uses = [u for u in node.find("service-policy type") if kind in (None, u.words.split()[2])]
        if name not in (None, node.params["name"]) or (name is None and not uses):
            continue
        lines += [node.params["name"], ""]
        policies: list[Body] = []
        for use in uses:
            own_kind, direction = use.words.split()[2:4]
            policy = view.store.running.first(f"policy-map type {own_kind} {use.params['name']}")
            lines.append(f"  Service-policy ({own_kind}) {direction}:   {use.params['name']}")
            for each in policy.find("class") if policy else []:
                lines.append(f"    Class-map ({own_kind}):   {each.params['name']}")
                lines += [f"      {line.line}" for line in each.ordered()]
            lines.append("")
            policies += [{"in-or-out": direction, **_policy_row(policy, "pmap-name")}] if policy else []
        rows.append({"if-name": node.params["name"], **table("pmap", policies)})
    return Reply("\n".join(lines) + "\n", table("interface", rows))


def class_map(view: View, name: str | None = None) -> Reply:
    """Show class-map type qos [NAME]."""
    lines, rows = ["", "  Type qos class-maps", f"  {'=' * 20}", ""], []
    for number, node in enumerate(view.store.running.find("class-map type qos"), start=1):
        if name not in (None, node.params["name"]):
            continue
        kind = node.words.split()[3]
        matches: list[Body] = []
        lines.append(f"    class-map type qos {kind} {node.params['name']}")
        for key, line in enumerate(node.find("match"), start=1):
            field = {"dscp": "dscp-list", "cos": "cos-list", "precedence": "precedence-list"}.get(line.words.split()[1])
            lines.append(f"      {line.line}")
            matches.append({"match-key": str(key), **({field: line.words.split()[2]} if field else {})})
        rows.append(
            {
                "cmap-key": str(number),
                "any_or_all": kind,
                "cmap-name-out": node.params["name"],
                **table("match", matches),
            }
        )
    return Reply("\n".join(lines) + "\n", table("cmap", rows))

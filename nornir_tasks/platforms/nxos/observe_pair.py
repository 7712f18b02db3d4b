"""A pair of switches (vPC) in NX-OS' show output. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.nxos.port_map import LAG
from nornir_tasks.platforms.nxos.tables import rows
from nornir_tasks.platforms.observed import NO_PAIR, PairState, Unlike

_NOT_PERFORMED = "CHECK_NOT_PERFORMED"


def pair_state(body: Any, compared: Any) -> PairState | None:  # noqa: ANN401 - API answers
    """A word other than ``peer-ok`` and ``peer-alive`` is a peer that is not there; no word: not shown."""
    if not isinstance(body, dict):
        return None
    if "vpc-domain-id" not in body:
        return NO_PAIR
    link, state = next(rows(body, "peerlink"), {}), str(body.get("vpc-peer-status", ""))
    connected, heard = state == "peer-ok" if state else None, body.get("vpc-peer-keepalive-status")
    return PairState(
        domain=str(body["vpc-domain-id"]),
        peer_link=re.sub(r"^Po(?=\d)", LAG, str(link.get("peerlink-ifindex", ""))),
        connected=connected,
        state=state,
        keepalive=None if heard is None else heard == "peer-alive",
        role=str(body.get("vpc-role", "")),
        unlike=tuple(_unlike(body, compared)) if connected else None,
    )


def _unlike(body: dict[str, Any], compared: Any) -> Iterator[Unlike]:  # noqa: ANN401 - an API answer
    """The rows whose values differ.

    If there is none: each vPC that the switch says is not consistent, with its reason, or else that of both switches.
    """
    found = [
        Unlike(str(row["vpc-param-name"]), str(row["vpc-param-local-val"]), str(row["vpc-param-peer-val"]))
        for row in rows(compared, "vpc_consistency")
        if row["vpc-param-local-val"] != row["vpc-param-peer-val"]
    ]
    found = found or list(_of_groups(body))
    yield from found
    for kind in ("peer-consistency", "type-2-consistency") if not found else ():
        word = str(body.get(f"vpc-{kind}", "consistent"))
        if word != "consistent":
            yield Unlike(f"vpc-{kind}", word, str(body.get(f"vpc-{kind}-status", "")))


def _of_groups(body: dict[str, Any]) -> Iterator[Unlike]:
    """Of one that is down the check may not have been performed: that is no difference."""
    for row in rows(body, "vpc"):
        why = str(row.get("vpc-consistency-status", ""))
        if row.get("vpc-consistency") == "inconsistent" and _NOT_PERFORMED not in why:
            yield Unlike(f"vPC {row.get('vpc-id', '')}", "inconsistent", why)

"""A pair of switches (vPC) in NX-OS' show output. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.nxos.port_map import LAG
from nornir_tasks.platforms.nxos.tables import rows
from nornir_tasks.platforms.observed import NO_PAIR, PairState, Unlike


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
    """The rows whose values differ; if there is none, and the switch says that both are not consistent, its reason."""
    found = [
        Unlike(str(row["vpc-param-name"]), str(row["vpc-param-local-val"]), str(row["vpc-param-peer-val"]))
        for row in rows(compared, "vpc_consistency")
        if row["vpc-param-local-val"] != row["vpc-param-peer-val"]
    ]
    yield from found
    for kind in ("peer-consistency", "type-2-consistency") if not found else ():
        word = str(body.get(f"vpc-{kind}", "consistent"))
        if word != "consistent":
            yield Unlike(f"vpc-{kind}", word, str(body.get(f"vpc-{kind}-status", "")))

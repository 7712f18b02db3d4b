"""What can be seeded in an EOS switch: each name is read by a show command."""

from __future__ import annotations

from ..seeds import ERRDISABLED, Seedable

ERRORS = ("fcsErrors", "alignmentErrors", "symbolErrors", "inErrors", "frameTooShorts", "frameTooLongs", "outErrors")
TRANSMIT = ("collisions", "lateCollisions", "deferredTransmissions")
TRIDENT_DROPS = (
    *("nonCongestionDiscard", "ipv4L3Discard", "ipv6L3Discard", "rxUrpfDrop", "rxFpDrop", "rxMmuDrop"),
    *("rxPipelineDrop", "txMmuDrop", "txPipelineDrop", "rxMCDrop", "rxIngressNFDrop", "rxBufferPoolDiscard"),
    *("rxPolicyDiscard", "txL3UCAgedDrop", "txL2MCDrop", "txTTLDrop", "wredDropPktCounter"),
)
TRIDENT_ERRORS = (
    *("txMACError", "txL2MTUError", "ipv4L3HeaderError", "ipv6L3HeaderError", "rxVlanDrop", "rxTunnelError"),
    *("rxL2MTUError", "txUnknownDrop", "txInvalidVlan", "txSplitHorizonDrop", "txVxltMiss", "txFCSError", "txPCError"),
)
DROPS = (
    *("inDropAsloop", "inDropClusterIdLoop", "inDropMalformedMpbgp", "inDropOrigId", "inDropNhLocal", "inDropNhAfV6"),
    *("prefixDroppedMartianV4", "prefixDroppedMaxRouteLimitViolatedV4", "prefixDroppedMartianV6"),
)
UPDATE_ERRORS = ("inUpdErrWithdraw", "inUpdErrIgnore", "inUpdErrDisableAfiSafi")
"""Names as the tables show them (tests/recorded/eos_show/port_counters.txt, bgp_neighbors.txt)."""

QUEUES = range(8)


def _on(kind: Seedable, *names: str) -> dict[str, Seedable]:
    return dict.fromkeys(names, kind)


_COUNTER, _READING, _WORD = Seedable("port"), Seedable("port", "reading"), Seedable("port", "word")

SEEDABLE: dict[str, Seedable] = {
    **_on(_COUNTER, *ERRORS, *TRANSMIT, "inDiscards", "outDiscards", "inBpsRate", "outBpsRate"),
    **_on(_COUNTER, *(f"trident.{name}" for name in (*TRIDENT_DROPS, *TRIDENT_ERRORS))),
    **_on(_COUNTER, *(f"{way}.TC{queue}.drops" for way in ("unicast", "multicast") for queue in QUEUES)),
    **_on(_COUNTER, "rxPfc", "txPfc", *(f"ecn.{queue}" for queue in QUEUES)),
    **_on(_COUNTER, "illegalRxCount", "bpduTaggedError", "bpduOtherError", "topologyChanges"),
    **_on(_COUNTER, *(f"storm.{kind}" for kind in ("all", "broadcast", "multicast", "unknown-unicast"))),
    **_on(_COUNTER, "correctedCodewords", "uncorrectedCodewords"),
    **_on(_READING, "preFecBer", "temperature", "rxPower"),
    **_on(_WORD, ERRDISABLED, "stpState"),
    **_on(Seedable("peer"), *DROPS, *UPDATE_ERRORS, "inputQueueLength", "outputQueueLength"),
    **_on(Seedable("switch", "word"), "release", "extension", "dynamicVlans"),
}
"""``release``: of another image that was booted; ``extension``: installed by hand, the file's name;
``dynamicVlans``: a source and a VLAN of it, "mlagsync 1401"; ``stpState``: what other bridges make of a port."""

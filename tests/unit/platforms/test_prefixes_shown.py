"""How many prefixes a BGP session let in and sent, as each system shows it; what is not shown is None."""

import sys
from pathlib import Path
from typing import Any

from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos
from nornir_tasks.platforms.observed import SessionPrefixes

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import stdout_of

FOUR, SIX = "198.51.100.1", "2001:db8:200::1"
BOTH = (SessionPrefixes(FOUR, accepted=1, sent=3), SessionPrefixes(SIX, accepted=2, sent=4))


def _summary(address: str, accepted: int) -> dict[str, Any]:
    return {"vrfs": {"default": {"peers": {address: {"prefixAccepted": accepted}}}}}


def _details(address: str, four: int, six: int) -> dict[str, Any]:
    peer = {"peerAddress": address, "prefixesSent": four, "v6PrefixesSent": six}
    return {"vrfs": {"default": {"peerList": [peer]}}}


def test_eos_has_what_was_let_in_in_its_summaries_and_what_was_sent_in_the_details_of_each_family() -> None:
    answers = {
        eos.BGP.what: _summary(FOUR, 1),
        eos.BGP_IPV6.what: _summary(SIX, 2),
        eos.NEIGHBORS.what: _details(FOUR, 3, 9),
        eos.NEIGHBORS_IPV6.what: _details(SIX, 9, 4),
    }
    assert eos.observed("edge-1", answers).exchanged == BOTH
    only_summary = eos.observed("edge-1", answers | {eos.NEIGHBORS.what: {"vrfs": {}}}).exchanged
    assert only_summary == (SessionPrefixes(FOUR, accepted=1, sent=None), BOTH[1])
    assert eos.observed("edge-1", {eos.BGP.what: _summary(FOUR, 1)}).exchanged is None


def test_cumulus_linux_has_both_at_the_address_family_of_the_session() -> None:
    def shown(family: str, accepted: int, sent: int) -> dict[str, Any]:
        other = "ipv4-unicast" if family == "ipv6-unicast" else "ipv6-unicast"
        counts = {"rx-prefix": accepted, "tx-prefix": sent}
        return {"address-family": {family: counts, other: {"rx-prefix": 8, "tx-prefix": 8}}}

    neighbors = {FOUR: shown("ipv4-unicast", 1, 3), SIX: shown("ipv6-unicast", 2, 4), "203.0.113.9": {}}
    answer = {"default": {"router": {"bgp": {"neighbor": neighbors}}}}
    found = nvue.observed("edge-1", {nvue.BGP.what: answer}).exchanged
    assert found == (*BOTH, SessionPrefixes("203.0.113.9", accepted=None, sent=None))
    assert nvue.observed("edge-1", {}).exchanged is None


NXOS = f"""\
BGP neighbor is {FOUR}, remote AS 64500, ebgp link, Peer index 3
  BGP state = Established, up for 00:03:35
  Neighbor vrf: default

  For address family: IPv4 Unicast
  BGP table version 18, neighbor version 18
  1 accepted prefixes (1 paths), consuming 288 bytes of memory
  0 received prefixes treated as withdrawn
  3 sent prefixes (3 paths)

  Local host: 198.51.100.2, Local port: 29180

BGP neighbor is {SIX}, remote AS 64500, ebgp link, Peer index 4
  BGP state = Established, up for 00:03:35

  For address family: IPv4 Unicast
  8 accepted prefixes (8 paths), consuming 288 bytes of memory
  8 sent prefixes (8 paths)

  For address family: IPv6 Unicast
  2 accepted prefixes (2 paths), consuming 288 bytes of memory
  4 sent prefixes (4 paths)

"""


def test_nxos_has_both_in_the_text_of_each_neighbour_in_the_words_of_two_releases() -> None:
    assert nxos.observed("edge-1", {nxos.NEIGHBORS.what: NXOS}).exchanged == BOTH
    older = stdout_of("nxos_show/bgp_text.txt", "show ip bgp neighbors")
    found = nxos.observed("edge-1", {nxos.NEIGHBORS.what: older}).exchanged
    assert found == (SessionPrefixes("192.0.2.2", accepted=38, sent=59),)
    idle = (
        f"BGP neighbor is {FOUR}, remote AS 64500, ebgp link, Peer index 3\n  BGP state = Idle\n  Neighbor vrf: RED\n"
    )
    found = nxos.observed("edge-1", {nxos.NEIGHBORS.what: idle}).exchanged
    assert found == (SessionPrefixes(FOUR, accepted=None, sent=None, vrf="RED"),)
    assert nxos.observed("edge-1", {}).exchanged is None

"""Does a machine learn who has a next hop's address? Of IPv6 its rules decide about that too (RFC 4861).

It asks, which passes ``output``, and is answered, which passes ``input``: nothing is forwarded to whom it does not
hear. ARP passes no chain of IP.
"""

from ipaddress import ip_address

from nornir_tasks.design.config.access_lists import ICMP
from nornir_tasks.proofs.rules.here import ADVERT, OF_NEIGHBOURS, SOLICIT, SOLICITED
from nornir_tasks.proofs.rules.machine import Machine, Verdict
from nornir_tasks.proofs.rules.matrix import UNTRACKED
from nornir_tasks.proofs.rules.packets import NOWHERE, ORIGINAL, Packets
from nornir_tasks.proofs.rules.ranges import Ranges, numbers, of_address

OWN = of_address("fe80::1")
"""Stands for the machine's own on the link, which are not planned."""


def next_hop_heard(machine: Machine, port: str, hop: str) -> Verdict:
    """Whether its question leaves and the answer comes in."""
    if machine.family == "ipv4":
        return Verdict(True, None, "", is_sure=True)
    group = numbers([SOLICITED[0][0] + int(ip_address(hop)) % 2**24])
    out = machine.ports.of(port)
    question = _message(NOWHERE, out, OWN, group, SOLICIT)
    answer = _message(out, NOWHERE, of_address(hop), OWN, ADVERT)
    fates = [*machine.outward(question), *machine.inward([answer])]
    fate = next((each for each in fates if not each.passes), fates[-1])
    return Verdict(fate.passes, None, f"no neighbour is heard: {fate.by}", not any(e.way.doubts for e in fates))


def _message(
    entry: Ranges,
    leaves: Ranges,
    source: Ranges,
    destination: Ranges,
    kind: int,
) -> Packets:
    zero = ((0, 0),)
    return Packets(
        entry,
        leaves,
        source,
        destination,
        numbers([ICMP["ipv6"]]),
        source_port=zero,
        destination_port=zero,
        icmp_type=numbers([kind]),
        icmp_code=zero,
        flags=zero,
        state=numbers([UNTRACKED]),
        hop_limit=OF_NEIGHBOURS,
        direction=ORIGINAL,
    )

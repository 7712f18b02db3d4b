"""For every pair of ends and every service of the flow matrix: does it pass, and by which line."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, Family
from nornir_tasks.design.hosts.boundary import Row
from nornir_tasks.proofs.rules.packets import ECHO, NEW, OPENS, Packets, both
from nornir_tasks.proofs.rules.ranges import numbers
from nornir_tasks.proofs.services import Verdict


class Service(NamedTuple):
    """What a row of the matrix asks for, from any source."""

    name: str
    """``TCP 443``, ``ping``."""
    protocol: str
    port: int


def services_of(rows: Sequence[Row]) -> tuple[Service, ...]:
    """Each once, in the order of rows; of a range of ports the first."""
    found = dict[Service, None]()
    for row in rows:
        if row.protocol == "icmp":
            found[Service("ping", "icmp", 0)] = None
        for first, last in row.ports:
            name = f"{row.protocol.upper()} {first}" + (f"-{last}" if last != first else "")
            found[Service(name, row.protocol, first)] = None
    return tuple(found)


class Judging(Protocol):
    """One that knows what surely passes, and by which line."""

    @property
    def family(self) -> Family: ...

    def passing(self) -> tuple[tuple[Packets, str], ...]: ...

    def decides(self, packets: Packets) -> str: ...


def verdicts(crossings: Sequence[Judging], between: Sequence[Packets], services: Sequence[Service]) -> list[Verdict]:
    """Of one pair; ``between``: its packets of each crossing's family. A service passes if it does in one of these."""
    found = []
    known = [list(_passing(crossing, its)) for crossing, its in zip(crossings, between, strict=True)]
    for service in services:
        lines = list[str]()
        refused = list[str]()
        for crossing, passing, its in zip(crossings, known, between, strict=True):
            wanted = _of(service, its, crossing.family)
            by = next((line for packets, line in passing if both(packets, wanted)), None)
            if by is not None:
                lines.append(by)
            elif wanted.source and wanted.destination:
                refused.append(crossing.decides(wanted))
        passes = bool(lines)
        found.append(Verdict(service.name, passes, tuple(dict.fromkeys(lines if passes else refused))))
    return found


def _passing(crossing: Judging, between: Packets) -> Iterator[tuple[Packets, str]]:
    for packets, line in crossing.passing():
        if (shared := both(packets, between)) is not None:
            yield shared, line


def _of(service: Service, between: Packets, family: Family) -> Packets:
    opened = between._replace(state=((NEW, NEW),), direction=((0, 0),))
    port = numbers([service.port])
    if service.protocol == "tcp":
        return opened._replace(protocol=((TCP, TCP),), destination_port=port, flags=OPENS)
    if service.protocol == "udp":
        return opened._replace(protocol=((UDP, UDP),), destination_port=port)
    number, request = ICMP[family], ECHO[family][0]
    return opened._replace(protocol=((number, number),), icmp_type=((request, request),))

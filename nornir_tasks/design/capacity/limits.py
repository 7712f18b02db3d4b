"""The limits of the fabric's switches: refusals with the numbers and the nearest design that works."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from nornir_tasks.design.addresses import mtu
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand import congestion, qos, vrfs
from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.layout import balancing, overrides, spines_to_come
from nornir_tasks.design.layout.table_limits import TableLimits, kinds_of_switches, switch_kind
from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.design.realise import buffers
from nornir_tasks.design.realise.port_profiles import queue_numbers
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.unknown import independent


def over_limits(choices: Choices, layout: Layout, os_facts: Mapping[str, OsFacts]) -> list[Finding]:
    """Everything that exceeds a limit of some kind of switch."""
    check = _Check(choices, layout, os_facts)
    rules = [
        balancing.refusals(choices, layout, os_facts),
        congestion.refusals(choices, joins_gpus=check.joins_gpus),
        check.unnumbered(),
        vrfs.refusals(choices),
        check.lossless(),
        check.guests(),
        overrides.refusals(choices, layout),
        spines_to_come.refusals(choices, layout),
        check.logical_ports(),
        check.nic(),
    ]
    for choice in kinds_of_switches(choices):
        rules += [check.priorities(choice), check.ecmp(choice), check.routes(choice), check.mtu(choice)]
        rules += [check.bfd(choice), check.password(choice), check.neighbors(choice), check.macs(choice)]
        rules += [buffers.refusals(choices.demand.terms, choice)]
    return list(independent(*rules))


def _system(choice: Choice) -> str:
    return f"{choice.os} {choice.release}"


def _may_be_unnumbered(one: Choice, other: Choice) -> bool:
    return one.capabilities.is_unnumbered_with(other.os, other.release) and other.capabilities.is_unnumbered_with(
        one.os, one.release
    )


@dataclass(frozen=True)
class _Check(TableLimits):
    os_facts: Mapping[str, OsFacts]

    @property
    def joins_gpus(self) -> bool:
        """Is the plane one that GPUs use?"""
        kind = kinds().planes.get(self.demand.kind)
        return kind is not None and kind.joins_gpus

    def unnumbered(self) -> Iterator[Finding]:
        """Links without addresses: only between ends whose sources confirm each other, with BFD if it is intended."""
        routing = self.demand.fabric.routing
        if routing.addressing == "numbered":
            return
        path = self.demand.on_fabric("routing")
        pairs = {(_system(one), _system(other)): (one, other) for one, other in self._joined()}
        refused = {names: pair for names, pair in sorted(pairs.items()) if not _may_be_unnumbered(*pair)}
        if refused:
            offered = [f"{facts.os} {release}" for facts in self.os_facts.values() for release in facts.unnumbered]
            gaps = {end.os: end.capabilities.unnumbered_gap for pair in refused.values() for end in pair}
            yield Finding(
                (*path, "addressing"),
                "no source says that unnumbered eBGP (RFC 8950) works between these ends",
                f"numbered, or at both ends one of {', '.join(offered)}",
                ", ".join(" - ".join(names) for names in refused),
                "; ".join(f"{os}: {gap}" for os, gap in sorted(gaps.items()) if gap),
            )
        ends = {_system(end): end for pair in pairs.values() for end in pair}
        deaf = sorted(name for name, end in ends.items() if not end.capabilities.has_link_local_bfd)
        if routing.bfd and deaf and not refused:
            what = "no source says that BFD follows a session over link-local addresses"
            yield Finding((*path, "bfd"), what, "bfd: false, or addressing: numbered", ", ".join(deaf))

    def _joined(self) -> Iterator[tuple[Choice, Choice]]:
        """Kinds of switch that are connected to each other, the lower tier first."""
        core = (self.choices.core,) if self.choices.core else ()
        yield from product(self.choices.leaves, self.choices.spines)
        yield from product(self.choices.spines, core)

    def lossless(self) -> Iterator[Finding]:
        names = [name for name, each in self.demand.terms.classes.items() if each.lossless]
        most = {
            switch_kind(choice): choice.capabilities.max_lossless_classes for choice in kinds_of_switches(self.choices)
        }
        least = min(most.values())
        if len(names) > least:
            narrow = ", ".join(name for name, classes in most.items() if classes == least)
            yield Finding(
                (*self.demand.terms.classes_at, names[least], "lossless"),
                f"{len(names)} lossless classes, where a switch takes {least}",
                f"at most {least}: {narrow}",
                ", ".join(names),
                "each lossless class needs headroom of its own on every port",
            )

    def guests(self) -> Iterator[Finding]:
        """Groups of hosts on the same leaves are on one leaf group: their places follow one another."""
        demand, most = self.demand, self.layout.hosts_per_group
        if demand.guests and self.layout.leaf_groups > 1:
            groups = " + ".join(f"{each.group} {each.max}" for each in demand.guests)
            yield Finding(
                demand.on_hosts("max"),
                "more hosts than the leaves that these groups are to share take",
                f"at most {most} hosts in all",
                f"{groups} = {demand.hosts.max}",
                "give one of the groups leaves of its own, without leaves_of",
            )

    def priorities(self, choice: Choice) -> Iterator[Finding]:
        policies = qos.classes(self.demand.terms.classes)
        queues = queue_numbers(policies, choice.capabilities)
        for policy in policies:
            taker = next(
                (name for name, queue in queues.items() if queue == queues[policy.name] and name != policy.name), None
            )
            if taker is not None and not policy.strict:
                yield Finding(
                    (*self.demand.terms.classes_at, policy.name, "priority"),
                    f"{switch_kind(choice)} needs queue {queues[taker]} for the strict class {taker}",
                    "another priority for this class",
                    str(policy.priority),
                )

    def password(self, choice: Choice) -> Iterator[Finding]:
        guards = choice.capabilities.guards
        if self.demand.fabric.routing.password is not None and guards.md5 is None:
            what = f"{switch_kind(choice)} has no passwords of BGP sessions: {guards.md5_gap}"
            yield Finding(self.demand.on_fabric("routing", "password"), what, "no password")

    def neighbors(self, choice: Choice) -> Iterator[Finding]:
        """Entries of the ARP table: the far end of each link."""
        limit, hosts = choice.model.ipv4_neighbors, self._host_ports(choice)
        links = hosts + self._sessions(choice)
        if limit is not None and links > limit:
            yield Finding(
                self.demand.on_hosts("max"),
                f"{choice.model.model} holds {limit} IPv4 neighbors",
                f"at most {limit}",
                f"{links}: one for each of {hosts} host ports and {links - hosts} links to other switches",
            )

    def macs(self, choice: Choice) -> Iterator[Finding]:
        """Hosts of a VLAN; routed ports learn no MAC addresses."""
        limit, hosts = choice.model.mac_addresses, self._host_ports(choice)
        if self.demand.plane.host_vlan is not None and limit is not None and hosts > limit:
            yield Finding(
                self.demand.on_hosts("max"),
                f"{choice.model.model} holds {limit} MAC addresses",
                f"at most {limit}",
                f"{hosts}: one for each host port in the VLAN",
            )

    def _host_ports(self, choice: Choice) -> int:
        return self.layout.hosts_per_group * self.layout.nics_per_host if choice in self.choices.leaves else 0

    def mtu(self, choice: Choice) -> Iterator[Finding]:
        most, terms = choice.capabilities.max_mtu_bytes, self.demand.terms
        if not choice.capabilities.has_port_mtu and terms.fabric_mtu_bytes < most:
            what = f"{switch_kind(choice)} has no MTU of single ports: all have {most} bytes"
            yield Finding(terms.fabric_mtu_at, what, f"at least {most}", str(terms.fabric_mtu_bytes))
        yield from mtu.refusal(f"{switch_kind(choice)} carries {most} bytes", most, self.demand.terms)

    def nic(self) -> Iterator[Finding]:
        nic = self.choices.nic
        if nic is not None:
            most = nic.max_mtu_bytes
            yield from mtu.refusal(f"{nic.model} sends {most} bytes", most, self.demand.terms)

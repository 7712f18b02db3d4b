"""Which rules of lossless paths do not hold, by comparing both ends of each cable as :mod:`plain_texts` reads them.

Shares no code with the proofs. ``unclear`` is an end whose lines contradict themselves, of which nothing is expected.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from nornir_tasks.design.model.network import Network
from tests.unit.proofs.plain_texts import POINTS, READERS, Port, host, spreads_packets

CLASSES, PAUSES, MTU, LAYER1, UNCLEAR = "class-path", "pfc", "mtu", "layer-1", "unclear"
HEADROOM = "headroom-fits"


class PlainJudge:
    """Of one site with one plane, whose hosts all speak RDMA."""

    def __init__(self, network: Network, texts: Mapping[str, str], hosts: Mapping[str, Mapping[str, Any]]) -> None:
        self.network, self.hosts = network, hosts
        self.switches = {name: READERS[network.device(name).os](text) for name, text in texts.items()}
        self.spreading = {name: spreads_packets(network.device(name).os, text) for name, text in texts.items()}

    def changed(self, device: str, text: str) -> "PlainJudge":
        found = PlainJudge(self.network, {}, self.hosts)
        os = self.network.device(device).os
        found.switches = {**self.switches, device: READERS[os](text)}
        found.spreading = {**self.spreading, device: spreads_packets(os, text)}
        return found

    def with_host(self, name: str, variables: Mapping[str, Any]) -> "PlainJudge":
        found = PlainJudge(self.network, {}, {**self.hosts, name: variables})
        found.switches, found.spreading = self.switches, self.spreading
        return found

    def broken(self) -> set[str]:
        found = {each for link in self.network.links for each in self._of_link(link)}
        rdma = Counter((e["roce_qos_dscp"], e["roce_qos_cnp_dscp"], e["roce_qos_ecn"]) for e in self.hosts.values())
        sizes = {rail["mtu_bytes"] for each in self.hosts.values() for rail in each["rail_interfaces_rails"]}
        found |= {MTU} if len(sizes) > 1 else set()
        found |= {CLASSES} if len(rdma) > 1 else set()
        for each in self.hosts.values():
            found |= set(_of_host(each))
            is_late = set(each["roce_qos_rails"]) - set(each.get("roce_qos_reorder_rails", ()))
            found |= {CLASSES} if is_late and any(self.spreading.values()) else set()
        return found

    def _of_link(self, link: Any) -> Iterator[str]:
        upper = self.switches[link.upper.device].get(link.upper.port)
        is_host = link.kind == "host"
        if is_host:
            lower: Port | None = host(self.hosts[link.lower.device])
        else:
            lower = self.switches[link.lower.device].get(link.lower.port)
        if upper is None or lower is None or not (upper.is_clear and lower.is_clear):
            yield UNCLEAR
        if upper is None or lower is None:
            return
        variables = self.hosts[link.lower.device] if is_host else next(iter(self.hosts.values()))
        yield from _classes(lower, upper, variables, is_host=is_host)
        if upper.pauses != lower.pauses or -1 in upper.pauses | lower.pauses:
            yield PAUSES
        nic_m, metres = variables.get("roce_qos_cable_m"), self.network.cable_m(link)
        if is_host and (upper.pauses or lower.pauses) and metres is not None and (nic_m is None or nic_m < metres):
            yield HEADROOM
        ends = (upper,) if is_host else (upper, lower)
        if any(each.pauses and not each.is_watched for each in ends):
            yield PAUSES
        if any(each.class_mtu is not None and each.class_mtu < (each.mtu or 0) for each in ends):
            yield MTU
        largest = max(rail["mtu_bytes"] for each in self.hosts.values() for rail in each["rail_interfaces_rails"])
        rails = {rail["name"]: rail["mtu_bytes"] for rail in variables["rail_interfaces_rails"]}
        sent = rails.get(link.lower.port) if is_host else largest
        if sent is None or (upper.mtu or 0) < sent or (not is_host and upper.mtu != lower.mtu):
            yield MTU
        if any(not each.is_up for each in ends):
            yield LAYER1
        if not is_host:
            # error correction that no line says is the hardware's choice on systems that have no word for it
            codes = [each.fec for each in ends if each.fec is not None]
            pairs = [each.speed for each in ends], [each.negotiates for each in ends], codes
            is_clear = upper.is_clear and lower.is_clear
            if is_clear and (any(len(set(each)) > 1 for each in pairs) or None in (upper.speed, lower.speed)):
                yield LAYER1


def _classes(lower: Port, upper: Port, variables: Mapping[str, Any], *, is_host: bool) -> Iterator[str]:
    if not (upper.company and lower.company and upper.is_sorted and lower.is_sorted):
        yield CLASSES
        return
    if upper.company != lower.company:
        yield CLASSES
    for each in (lower, upper):
        if any(queue not in each.described for queue in each.queue):
            yield CLASSES
        if len(set(zip(each.priority, each.queue, strict=True))) != len(set(each.queue)):
            yield CLASSES
    for point in POINTS:
        if (lower.queue[point] in lower.strict) != (upper.queue[point] in upper.strict):
            yield CLASSES
    point = variables["roce_qos_dscp"]
    stops = [each.priority[point] if each.priority[point] in each.pauses else None for each in (lower, upper)]
    if stops[0] != stops[1]:
        yield CLASSES
    for each in (point,) if is_host else POINTS:
        if (lower.queue[each] in lower.marks) != (upper.queue[each] in upper.marks):
            yield CLASSES


LIBRARIES = ("UCX_IB_TRAFFIC_CLASS", "NVSHMEM_IB_TRAFFIC_CLASS", "MORI_RDMA_TC", "MC_IB_TC")


def _of_host(variables: Mapping[str, Any]) -> Iterator[str]:
    sent, dscp, ecn = (variables[f"roce_qos_{each}"] for each in ("traffic_class", "dscp", "ecn"))
    own = host(variables)
    rails = set(variables["roce_qos_rails"])
    contradictions = (
        variables["nccl_traffic_class"] != sent,
        variables["nccl_libraries"] != dict.fromkeys(LIBRARIES, sent),
        sent // 4 != dscp,
        (sent % 4 == 2) != ecn,
        own.priority[dscp] != variables["roce_qos_priority"],
        own.priority[variables["roce_qos_cnp_dscp"]] != variables["roce_qos_cnp_priority"],
        -1 in own.priority,
        not rails.issuperset(variables["nccl_rails"]),
        not rails.issuperset(variables["rdma_stack_rails"]),
    )
    if any(contradictions):
        yield CLASSES
    lossless = {each["priority"] for each in variables["roce_qos_classes"] if each["lossless"]}
    if lossless and lossless != {variables["roce_qos_priority"]}:
        yield PAUSES

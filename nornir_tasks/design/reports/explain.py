"""Every figure of the design, with the numbers it comes from and the rule or source: ``nornir design --explain``."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from nornir_tasks.design.addresses.mtu import takers
from nornir_tasks.design.addresses.prefix_limits import LEAST_OF_A_LEAF, ROOM, prefix_limit
from nornir_tasks.design.addresses.routes import RouteCount
from nornir_tasks.design.capacity.ecmp_link_load import Senders, figure_rows
from nornir_tasks.design.capacity.throughput import loads
from nornir_tasks.design.contribute.fabrics.clos import BFD, RA_INTERVAL_MS
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.demand.qos import ROUTING_DSCP, beside_routing
from nornir_tasks.design.layout.cheapest import costs, in_words, why_lost
from nornir_tasks.design.model.claims import fabric_key
from nornir_tasks.design.model.links import Circuit
from nornir_tasks.design.model.network import Device, Fabric, FabricPart, Network
from nornir_tasks.design.model.order import natural_key
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.realise.configuration import Realised
from nornir_tasks.design.realise.port_profiles import COUNTED, NO_POOLS
from nornir_tasks.design.reports.explain_cables import headroom_figures
from nornir_tasks.design.reports.explain_marks import marking_figures
from nornir_tasks.design.reports.explain_tables import table_figures
from nornir_tasks.design.reports.transceivers import optics
from nornir_tasks.design.reports.watchdog import watchdog_figures
from nornir_tasks.intent.core.findings import dotted

Value = int | float | str | None

LEAF, SPINE, CORE = range(3)
"""Levels."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. ``inputs`` are what it comes from: a path of the intent, of the catalogue, or another figure."""

    plane: str
    name: str
    value: Value
    inputs: Mapping[str, Value]
    rule: str


def explain(network: Network, demands: Iterable[Demand], routes: Mapping[str, RouteCount]) -> tuple[Figure, ...]:
    """All figures, plane by plane, from the demands. ``routes``: what ``count_routes`` says of this network."""
    every = tuple(demands)
    ordered = sorted(every, key=lambda each: each.plane_name)
    explainers = (replace(_Explainer.of(network, each, routes), demands=every) for each in ordered)
    return tuple(figure for each in explainers for figure in each.figures())


def _kind(device: Device) -> str:
    return f"{device.role} {device.model}, {device.os} {device.release}"


@dataclass(frozen=True)
class _Explainer:
    network: Network
    plane: Plane
    demand: Demand
    part: FabricPart
    """The leaves of these hosts."""
    devices: tuple[Device, ...]
    """These leaves, and what is above them."""
    samples: Mapping[str, Realised]
    """One switch of each kind, as it will be configured."""
    routes: Mapping[str, RouteCount]
    demands: tuple[Demand, ...] = ()
    """All of the site."""

    @classmethod
    def of(cls, network: Network, demand: Demand, routes: Mapping[str, RouteCount]) -> "_Explainer":
        plane = network.planes[demand.plane_name]
        (part,) = (x for x in network.fabrics[plane.fabric].parts_of(plane.name) if x.group == demand.group)
        there = (x for x in network.devices if x.fabric == plane.fabric and (x.level or part.layout.has_group(x.index)))
        devices = sorted(there, key=lambda x: natural_key(x.name))
        kinds = {_kind(each): each for each in reversed(devices)}
        samples = {kind: device_config(network, kinds[kind]) for kind in sorted(kinds)}
        return cls(network, plane, demand, part, tuple(devices), samples, routes)

    @property
    def fabric(self) -> Fabric:
        """The plane's fabric."""
        return self.network.fabrics[self.plane.fabric]

    @property
    def between_switches(self) -> Iterator[Circuit]:
        """What the fabric runs over the links between its switches."""
        return (each for each in self.network.circuits if each.owner == fabric_key(self.fabric.name))

    def figures(self) -> Iterator[Figure]:
        yield from self.sizes()
        yield from self.choice()
        yield from self.bandwidth()
        yield from self.mtu()
        yield from self.addresses()
        yield from self.asns()
        yield from self.sessions()
        yield from self.kinds()
        yield from self.tables()
        yield from self.throughput()
        yield from self.fullest_links()

    def fullest_links(self) -> Iterator[Figure]:
        """What a hash that spreads flows asks of links, where NICs of the plane join GPUs."""
        own = self.demand
        if kinds().planes[self.plane.kind].joins_gpus and self.fabric.load_balancing == "static":
            for row in figure_rows(Senders(self.part.layout, own.hosts.max, own.nics.speed, own.terms.queue_pairs)):
                yield self.figure(row.name, row.value, row.rule, **row.inputs)

    def throughput(self) -> Iterator[Figure]:
        """What the plane should carry, compared with each part that these hosts' packets go through."""
        rule = "GiB/s x 8.590 Gbit, evenly over hosts, leaves and spines; over what is there, or left after a failure"
        for each in (x for x in loads(self.network, self.demands) if x.plane == self.plane.name):
            if each.part.endswith(f" of {self.demand.group}"):
                name = f"{each.purpose}, {each.part}" + (f", {each.lost} lost" if each.lost else "")
                inputs = {"needed_gbps": round(each.needed_gbps, 3), "has_gbps": each.has_gbps}
                share = round(each.share, 3) if each.has_gbps else "nothing left"
                yield self.figure(name, share, rule, **inputs)

    def figure(self, name: str, value: Value, rule: str, **inputs: Value) -> Figure:
        """Names of inputs: two underscores stand for a dot."""
        inputs = {self.place(key.replace("__", ".")): each for key, each in inputs.items()}
        return Figure(self.whose, name, value, inputs, rule)

    @property
    def whose(self) -> str:
        """The plane; of several groups of hosts on it the group, and of shared NIC ports the plane that has them."""
        groups, owner = self.fabric.parts_of(self.plane.name), self.demand.nics.ports_of
        name = self.plane.name if len(groups) == 1 else f"{self.plane.name}, {self.demand.group}"
        return name if owner is None else f"{name}, on ports of {owner}"

    def place(self, name: str) -> str:
        """The full path of an input from the intent."""
        head, dot, rest = name.partition(".")
        above = {
            "fabric": self.demand.on_fabric(),
            "plane": self.demand.on_plane(),
            "hosts": self.demand.on_hosts(),
            "nics": self.demand.on_nics(),
        }.get(head)
        if self.demand.attached is not None and head in ("hosts", "nics"):
            return {"max": "places", "count": "places", "speed": f"planes.{self.plane.name}.port_speed"}.get(rest, rest)
        return f"{dotted(above)}.{rest}" if above and dot else name

    def at(self, level: int) -> list[Device]:
        return [each for each in self.devices if each.level == level]

    @property
    def leaves_per_group(self) -> int:
        return max(Counter((each.copy, each.index) for each in self.at(LEAF)).values())

    def in_copies(self, rule: str, inputs: dict[str, int]) -> tuple[str, dict[str, int]]:
        """Rule and inputs of a number of one copy of the fabric, for that of all copies."""
        if self.fabric.copies == 1:
            return rule, inputs
        return f"{rule}; x copies that are there", {**inputs, "copies": self.fabric.copies_there}

    def links(self, kind: str) -> list[int]:
        """Speeds of the links of this kind that go down to these hosts, or up from their leaves and beyond."""
        names = {each.name for each in self.devices}
        ends = ((x, x.upper if kind == "host" else x.lower) for x in self.network.links if x.kind == kind)
        return [link.speed_gbps for link, end in ends if end.device in names]

    def sizes(self) -> Iterator[Figure]:
        hosts, per_group = self.demand.hosts, self.part.layout.hosts_per_group
        shared = {"hosts__max": hosts.max, "hosts_per_group": per_group}
        rule = "hosts at most over hosts per group, rounded up"
        yield self.figure("leaf groups, laid out", self.part.layout.leaf_groups, rule, **shared)
        rule = "(hosts there are over hosts per group, rounded up) x leaves of a group"
        built = {"hosts__count": hosts.count, "hosts_per_group": per_group, "leaves_per_group": self.leaves_per_group}
        rule, built = self.in_copies(rule, built)
        yield self.figure("leaves", len(self.at(LEAF)), rule, **built)
        groups = len({(each.copy, each.spine_group) for each in self.at(SPINE)})
        what = "pods" if self.at(CORE) else "spine groups"
        what += " of all copies" if self.fabric.copies > 1 else ""
        rule = f"{what} x spines of each; all of a group from its first day, so that growth moves no cable"
        if self.part.layout.spines_to_come:
            rule = f"{what} x spines of each that are there (count); leaves keep ports for those to come (max)"
        spines = len(self.at(SPINE))
        yield self.figure("spines", spines, rule, groups=groups, spines_per_group=spines // max(1, groups))
        if self.at(CORE):
            planes = len({(each.copy, each.spine_group) for each in self.at(CORE)})
            cores = len(self.at(CORE))
            rule = "core planes (one for each spine of a pod) x cores of each"
            yield self.figure("cores", cores, rule, planes=planes, cores_per_plane=cores // planes)
        yield self.host_links()
        rule = "counted: leaves x uplinks, and what joins spines and cores"
        inputs = {"leaves": len(self.at(LEAF)), "uplinks": self.part.layout.uplinks_there}
        yield self.figure("fabric links", len(self.links("fabric")), rule, **inputs)
        media = Counter(str(cable.medium or "not declared") for cable in self.network.cables)
        rule = "one for each pluggable end that is not copper, NIC ends included"
        yield self.figure("optics, of the site", optics(self.network), rule, **dict(sorted(media.items())))

    def host_links(self) -> Figure:
        """Links down from the leaves; on an out-of-band plane those of all that is attached."""
        found, attached = len(self.links("host")), self.demand.attached
        if attached is not None:
            groups = Counter(end.group for row in attached.rows for end in row if end is not None and end.is_there)
            return self.figure("host links", found, "one for each port that is there, by group", **dict(groups))
        inputs = {"hosts__count": self.demand.hosts.count, "nics__rails": self.demand.nics.rails}
        rule, inputs = self.in_copies("hosts there are x rails", inputs)
        return self.figure("host links", found, rule, **inputs)

    def choice(self) -> Iterator[Figure]:
        """The layout compared with the runner-up, and its capacity with a spine lost."""
        sizing = self.part.sizing
        chosen, other = sizing.chosen, sizing.runner_up
        rule = "the cheapest for the hosts at most: fewest switches, then links, then optics, then spine groups or pods"
        yield self.figure("layout", in_words(chosen), rule, **costs(chosen))
        if other is None:
            yield self.figure("layout, runner-up", "none", "no other layout keeps what is declared")
        else:
            rule = f"why it lost: {why_lost(chosen, other)}"
            yield self.figure("layout, runner-up", in_words(other), rule, **costs(other))
        spine, layout = self.demand.fabric.spine, chosen.layout
        inputs = {
            "fabric__spine__capacity_after_loss": spine.capacity_after_loss,
            "fabric__spine__oversubscription": spine.oversubscription,
        }
        ups = {"uplinks": layout.uplinks, "lost": layout.parallel, "uplink_gbps": layout.uplink_gbps}
        rule = "uplinks left x speed over what the declared ratio gives a full leaf; at least capacity_after_loss"
        if layout.spines_per_group == 1:
            rule = "one spine: nothing is left without it"
        yield self.figure("capacity with one spine lost", round(chosen.capacity_after_loss, 3), rule, **inputs, **ups)
        for number, warning in enumerate(sizing.warnings, start=1):
            yield self.figure(f"warning {number}", warning, "the choice of layout")

    def bandwidth(self) -> Iterator[Figure]:
        intent, nics = self.demand.fabric, self.demand.nics
        ports = self.part.layout.hosts_per_group * nics.rails // self.leaves_per_group
        down = {"host_ports": ports, "nics__speed": nics.speed, "uplink_gbps": self.part.layout.uplink_gbps}
        rule = "fewest that keep the declared ratio and capacity_after_loss and spread evenly over the spines"
        inputs = {**down, "fabric__spine__oversubscription": intent.spine.oversubscription}
        yield self.figure("uplinks of a leaf", self.part.layout.uplinks, rule, **inputs)
        rule = "host ports x speed over uplinks x speed, on a full leaf"
        layout, core = self.part.layout, intent.core
        yield self.figure("oversubscription", self.part.oversubscription, rule, **down, uplinks=layout.uplinks)
        if layout.pods and core and layout.core_oversubscription is not None:
            inputs = {"fabric__core__oversubscription": core.oversubscription, "links_down": layout.spine_places}
            inputs |= {"uplink_gbps": layout.uplink_gbps, "links_up": layout.pods.spine_uplinks}
            inputs |= {"core_gbps": layout.pods.core_gbps}
            rule = "links down x speed over links up x speed, on a spine of a full pod"
            yield self.figure("core oversubscription", float(layout.core_oversubscription), rule, **inputs)

    def mtu(self) -> Iterator[Figure]:
        terms = self.demand.terms
        kinds: Counter[tuple[str, tuple[tuple[str, int], ...], int]] = Counter()
        for circuit in self.network.circuits:
            if circuit.owner in (self.plane.name, fabric_key(self.fabric.name)):
                kinds[circuit.link.kind, takers(self.network, circuit), circuit.use.mtu_bytes] += 1
        for (kind, ends, agreed), count in sorted(kinds.items()):
            name = f"MTU, {kind} links of {' and '.join(system for system, _ in ends)}"
            inputs: dict[str, Value] = {dotted(terms.fabric_mtu_at): terms.fabric_mtu_bytes}
            inputs |= {**dict(ends), "links": count}
            yield self.figure(name, agreed, "the least of the intent's and of what both ends hold", **inputs)
        inputs = {dotted(terms.host_mtu_at): terms.host_mtu_bytes}
        yield self.figure("MTU, hosts", terms.host_mtu_bytes, "as declared; every link holds it", **inputs)

    def addresses(self) -> Iterator[Figure]:
        plane, above, of_plane = self.plane, self.demand.on_fabric(), self.demand.on_plane()
        for pool, owner in {"loopback": above, "links": above, "hosts": of_plane}.items():
            is_used = pool != "links" or any(x.is_numbered for x in self.between_switches)
            rule = dotted((*owner, "pools", pool)) + ("" if is_used else "; unused, as links are unnumbered")
            prefix = (self.plane.pools if owner == of_plane else self.fabric.pools)[pool]
            yield self.figure(f"addresses, {pool}", prefix, rule)
            if not is_used:
                rule = "what FRRouting takes for interface neighbours, said in full on both ends of every link"
                yield self.figure("router advertisements", f"{RA_INTERVAL_MS} ms", rule)
        speed = self.demand.nics.speed
        length = self.demand.plane.prefix_length
        models = {x.model: self.network.models[x.model].max_logical_ports(speed) for x in self.at(LEAF)}
        each = "an address" if length is None else f"a /{length}"
        rule = f"room for {each} on as many ports as any of these models could have at {speed}G, to a power of two"
        if self.demand.fabric.design == "clos3" and self.demand.nics.per_group is not None:
            rule = f"room for {each} on each port of a leaf's hosts (per_group), to a power of two"
        block = f"/{plane.host_block_length}"
        yield self.figure("host block of a leaf", block, rule, **dict(sorted(models.items())))
        for number, supernet in enumerate(() if plane.is_bonded else plane.rail_supernets):
            copy, rail = divmod(number, plane.rails)
            rule, name = "the hosts pool in equal slices, one for each rail (rail design), or whole", f"rail {rail}"
            if self.fabric.copies > 1:
                pool = "the hosts pool" if plane.has_shared_addresses else "the copy's part of the hosts pool"
                rule, name = rule.replace("the hosts pool", pool), f"{name} of copy {copy + 1}"
            yield self.figure(f"addresses, {name}", supernet, rule, plane__pools__hosts=plane.pools["hosts"])

    def asns(self) -> Iterator[Figure]:
        pool, copies = str(self.demand.fabric.pools.asn), self.fabric.copies
        rules = {
            LEAF: "one each, counted up from the pool's first",
            SPINE: "one for each spine group or pod, counted down below the pool's last: a way back up is a loop",
            CORE: "one for all cores: the pool's last",
        }
        for level, role in enumerate(self.fabric.roles):
            asns = sorted({each.asn for each in self.at(level)})
            if asns:
                span = str(asns[0]) if len(asns) == 1 else f"{asns[0]}-{asns[-1]}"
                rule = f"{rules[level]}; each copy has an equal part of the pool" if copies > 1 else rules[level]
                yield self.figure(f"ASN, {role}", span, rule, fabric__pools__asn=pool, different=len(asns))

    def sessions(self) -> Iterator[Figure]:
        rules = (
            f"its loopback and its host blocks, counted as at least {LEAST_OF_A_LEAF} prefixes",
            "its loopback and all that it learns at hosts.max",
            "its loopback and all that it learns at hosts.max",
        )
        for role, count, known in zip(self.fabric.roles, self.fabric.prefixes_from, rules, strict=False):
            rule = f"{known}; x {float(ROOM):g}, rounded up"
            yield self.figure(f"prefix limit, from a {role}", prefix_limit(count), rule, announced=count)
        for name in beside_routing(self.demand.terms.classes):
            rule = "switches send BGP and BFD with CS6 (RFC 4594, 3.1): this class and routing share a strict queue"
            points = ", ".join(map(str, self.demand.terms.classes[name].dscp))
            yield self.figure(f"routing beside {name}", f"DSCP {ROUTING_DSCP}", rule, dscp=points)
        group = next(iter(self.samples.values())).config.bgp
        if group is not None and group.peer_groups:
            timers = f"{group.peer_groups[0].keepalive_s}/{group.peer_groups[0].hold_s} s"
            rule = "3/9 s alone, 10/30 s where BFD detects failures first"
            yield self.figure("BGP keepalive/hold", timers, rule, fabric__routing__bfd=str(self.fabric.bfd).lower())

    def kinds(self) -> Iterator[Figure]:
        """What depends on system, release and ASIC."""
        for kind, each in self.samples.items():
            known, config = each.capabilities, each.config
            if config.bgp is not None:
                inputs = {"widest": self.fabric.max_paths, "holds_at_most": known.max_ecmp_paths}
                rule = "the widest set of equal paths in the layout"
                yield self.figure(f"ECMP width, {kind}", config.bgp.maximum_paths, rule, **inputs)
            if config.bfd is not None:
                inputs = {"intended_ms": BFD.interval_ms, "least_ms": known.bfd_min_interval_ms}
                value = f"{config.bfd.interval_ms} ms x {config.bfd.multiplier}"
                yield self.figure(
                    f"BFD, {kind}", value, "the greater of the intended interval and the ASIC's least", **inputs
                )
            yield self.hash_seed(kind, each)
            yield self.figure(f"queue pairs in the hash, {kind}", "by UDP source port", known.queue_pair_gap)
            yield self.balancing(kind, each)
            yield from self.ecn(kind, each)
            for found in headroom_figures(self.network, self.network.device(each.config.name)):
                yield self.figure(f"{found.name}, {kind}", found.value, found.rule, **found.inputs)
            yield from self.gaps(kind, each)
        for row in watchdog_figures(self.samples):
            yield self.figure(row.name, row.value, row.rule, **row.inputs)

    def hash_seed(self, kind: str, each: Realised) -> Figure:
        known, hashing = each.capabilities, each.config.hashing
        if hashing is None or hashing.seed is None:
            return self.figure(f"hash seed, {kind}", "not settable", known.seed_gap or "the system has none to set")
        rule = "differs between adjacent tiers, against polarised hashing"
        return self.figure(f"hash seed, {kind}", hashing.seed, rule, largest=known.max_hash_seed)

    def gaps(self, kind: str, each: Realised) -> Iterator[Figure]:
        """Settings without a source, which are therefore not configured."""
        known, ports = each.capabilities, each.config.interfaces
        if known.assumed:
            yield self.figure(f"lines, {kind}", "assumed", f"no source shows of this release {known.assumed}")
        if each.config.qos and each.config.qos.watchdog and known.guarantee_gap and not known.has_guaranteed_bandwidth:
            yield self.figure(f"guaranteed bandwidth, {kind}", "not set", known.guarantee_gap)
        percent = self.fabric.lossless_memory_percent
        if percent is not None and each.config.qos and each.config.qos.watchdog and not known.lossless_memory_source:
            yield self.figure(f"memory of lossless classes, {kind}", "not set", NO_POOLS, asked_percent=percent)
        if self.fabric.counters and known.counts_marks_by is not None and each.config.qos:
            queues = sum(queue.counts_marks for each in each.config.qos.profiles for queue in each.queues)
            yield self.figure(f"queues that count marks, {kind}", queues, COUNTED, policy__telemetry__counters=True)
        unset = sum(port.layer1 is not None and port.layer1.fec is None for port in ports)
        if unset:
            yield self.figure(f"FEC, {kind}", "not set", known.fec_gap, ports=unset)

    def balancing(self, kind: str, each: Realised) -> Figure:
        """How equal-cost paths are chosen, and by which source."""
        mode, configured = self.fabric.load_balancing, each.config.load_balancing
        known = each.capabilities.balancing(mode)
        name, inputs = f"load balancing, {kind}", {dotted(self.demand.terms.load_balancing_at): mode}
        if configured is None or known is None:
            rule = "by the hash alone" if mode == "static" else "no switch of the kind has several equal-cost paths"
            return self.figure(name, "static", rule, **inputs)
        ports = "all" if configured.ports is None else len(configured.ports)
        size = {} if configured.flow_set_size is None else {"flow_set_size": configured.flow_set_size}
        return self.figure(name, configured.mode, known.source, **inputs, ports=ports, **size)

    def ecn(self, kind: str, each: Realised) -> Iterator[Figure]:
        thresholds = [x.ecn for x in self.demand.terms.classes.values() if x.ecn is not None]
        for name, value, rule, inputs in marking_figures(kind, each, published=isinstance((*thresholds, None)[0], str)):
            yield self.figure(name, value, rule, **inputs)

    def tables(self) -> Iterator[Figure]:
        """The fullest switch of each kind."""
        for kind in self.samples:
            devices = [each for each in self.devices if _kind(each) == kind]
            for row in table_figures(self.network, devices, self.routes):
                yield self.figure(f"{row.name}, {kind}", row.value, row.rule, **row.inputs)

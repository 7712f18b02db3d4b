"""The effective quality of service: NVUE's defaults, RoCE's one-shot profile, and the settings that override them.

Defaults and the RoCE profile: Cumulus Linux 5.14 docs, Quality-of-Service/_index.md and
RDMA-over-Converged-Ethernet-RoCE.md. After ``qos roce`` the configuration has only what was set; the profile shows in
``nv show qos roce`` and in the effective objects. Names of the JSON maps (prio-map, tc-map, pool-map) are those of the
views and sub-commands in these pages; their inner keys are from memory (M).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .dialect import Dialect
from .tree import Tree, get_or

_ROCE_CLASS = {3: 3, 6: 6}
_ECN = {"ecn": "enable", "red": "disable", "min-threshold": 150000, "max-threshold": 1500000, "probability": 100}
_TRUST_MODES = {"both": "pcp,dscp", "l2": "pcp", "l3": "dscp"}
_LOSSLESS = ("lossless", "lossless-single-ipool")


class Profiles(NamedTuple):
    """The profile of a port for each kind of setting."""

    mapping: str = "default-global"
    scheduler: str = "default-global"
    congestion: str = "default-global"
    pfc: str = "default-global"


_SHARED = Profiles()


class EffectiveQos:
    """QoS of one running tree."""

    def __init__(self, tree: Tree, dialect: Dialect) -> None:
        self._qos = tree.get("qos", {})
        self._dialect = dialect
        roce = self._qos.get("roce")
        self.is_roce = isinstance(roce, dict) and dialect.is_on(roce, True)
        self.mode = get_or(roce, "lossless", "mode") if self.is_roce else None
        self._by_profiles: dict[Profiles, Tree] = {}

    @property
    def is_lossless(self) -> bool:
        """RoCE with PFC."""
        return self.mode in _LOSSLESS

    def mapping(self, profile: str = "default-global") -> Tree:
        """Trust and both maps, complete: 64 code points and 8 PCPs."""
        own = get_or(self._qos, {}, "mapping", profile)
        dscp = {str(n): {"switch-priority": n // 8} for n in range(64)}
        pcp = {str(n): {"switch-priority": n} for n in range(8)}
        for kind, table in (("dscp", dscp), ("pcp", pcp)):
            for key, entry in own.get(kind, {}).items():
                table[key] = {**table[key], **entry}
        default_trust = "both" if self.is_roce else "l2"
        return {
            "trust": own.get("trust", default_trust),
            "port-default-sp": own.get("port-default-sp", 0),
            "dscp": dscp,
            "pcp": pcp,
        }

    def queues(self) -> Tree:
        """Switch priority to traffic class."""
        table = {n: _ROCE_CLASS.get(n, 0) if self.is_roce else n for n in range(8)}
        own = get_or(self._qos, {}, "egress-queue-mapping", "default-global", "switch-priority")
        table |= {int(key): entry.get("traffic-class", table[int(key)]) for key, entry in own.items()}
        return {"switch-priority": {str(n): {"traffic-class": queue} for n, queue in table.items()}}

    def scheduler(self, profile: str = "default-global") -> Tree:
        """Mode and weight of each traffic class."""
        table: dict[str, Tree] = {}
        if self.is_roce:
            table = {
                "0": {"mode": "dwrr", "bw-percent": 50},
                "3": {"mode": "dwrr", "bw-percent": 50},
                "6": {"mode": "strict"},
            }
        for key, entry in get_or(self._qos, {}, "egress-scheduler", profile, "traffic-class").items():
            table[key] = {**table.get(key, {}), **entry}
        return {"traffic-class": table}

    def congestion(self, profile: str = "default-global") -> Tree:
        """ECN of each traffic class that has it."""
        table = {key: dict(_ECN) for key in (("0", "3") if self.is_roce else ("0",))}
        for key, entry in get_or(self._qos, {}, "congestion-control", profile, "traffic-class").items():
            table[key] = {**table.get(key, _ECN), **entry}
        return {"traffic-class": table}

    def pfc(self, profile: str = "default-global") -> Tree:
        """PFC: priorities, directions and the cable length for its headroom."""
        own = get_or(self._qos, None, "pfc", profile)
        if own is None and not self.is_lossless:
            return {}
        settings: Tree = {"rx": "enable", "tx": "enable", "cable-length": 100 if self.is_lossless else 10}
        priorities = get_or(own, {"3": {}} if self.is_lossless else {}, "switch-priority")
        return {**settings, **(own or {}), "switch-priority": priorities}

    def pools(self) -> Tree:
        """Memory of each traffic pool."""
        if self.is_lossless and self.mode != "lossless-single-ipool":
            pools: Tree = {"default-lossy": {"memory-percent": 50}, "roce-lossless": {"memory-percent": 50}}
        else:
            pools = {"default-lossy": {"memory-percent": 100}}
        for name, own in self._qos.get("traffic-pool", {}).items():
            pools[name] = {**pools.get(name, {}), **own}
        return pools

    def watchdog(self) -> Tree:
        """The watchdog's global timing."""
        return {"polling-interval": 100, "robustness": 3, **self._qos.get("pfc-watchdog", {})}

    def roce(self, profiles: Profiles = _SHARED) -> Tree:
        """The operational answer to ``GET /qos/roce``, or a port's status; empty if RoCE is off."""
        if not self.is_roce:
            return {}
        return {
            "mode": self.mode,
            **self._roce_common(profiles),
            "prio-map": self._prio_map(profiles.mapping),
            "tc-map": self._tc_map(profiles.scheduler),
            "pool-map": self._pool_map(),
        }

    def _roce_common(self, profiles: Profiles) -> Tree:
        pfc, congestion = self.pfc(profiles.pfc), self.congestion(profiles.congestion)["traffic-class"]
        marking = {key: entry for key, entry in congestion.items() if entry.get("ecn") == "enable"}
        first = marking.get("3") or next(iter(marking.values()), dict(_ECN))
        return {
            "pfc": {
                "pfc-priority": ",".join(sorted(pfc.get("switch-priority", {}))) or "-",
                "rx-enabled": f"{pfc.get('rx', 'disable')}d",
                "tx-enabled": f"{pfc.get('tx', 'disable')}d",
                **({"cable-length": pfc["cable-length"]} if pfc else {}),
            },
            "congestion-control": {
                "congestion-mode": "ECN",
                "enabled-tc": ",".join(sorted(marking)),
                "min-threshold": first["min-threshold"],
                "max-threshold": first["max-threshold"],
                "probability": first["probability"],
            },
            "trust": {"trust-mode": _TRUST_MODES.get(self.mapping(profiles.mapping)["trust"], "port")},
            "lldp-app-tlv": {"priority": 3, "protocol-id": 4791, "selector": "UDP"},
        }

    def _prio_map(self, mapping: str) -> Tree:
        table = self.mapping(mapping)
        return {
            str(priority): {
                "pcp": _codes(table["pcp"], priority),
                "dscp": _codes(table["dscp"], priority),
                "switch-prio": priority,
            }
            for priority in range(8)
        }

    def _tc_map(self, profile: str) -> Tree:
        queues, scheduler = self.queues()["switch-priority"], self.scheduler(profile)["traffic-class"]
        return {
            key: {
                "switch-prio": int(key),
                "traffic-class": entry["traffic-class"],
                "scheduler-weight": _weight(scheduler.get(str(entry["traffic-class"]), {})),
            }
            for key, entry in queues.items()
        }

    def _pool_map(self) -> Tree:
        lossless = sorted(self.pfc().get("switch-priority", {}))
        lossy = [str(n) for n in range(8) if str(n) not in lossless]
        pools = self.pools()
        share = {name: f"{entry.get('memory-percent', 0)}%" for name, entry in pools.items()}
        names = [("lossy-default-ingress", share.get("default-lossy", "0%"), ",".join(lossy))]
        if self.is_lossless:
            names.append(("roce-reserved-ingress", share.get("roce-lossless", "0%"), ",".join(lossless)))
            names.append(("lossy-default-egress", share.get("default-lossy", "0%"), "-"))
            names.append(("roce-reserved-egress", "inf", "-"))
        return {
            str(number): {"name": name, "mode": "Dynamic", "size": size, "switch-priorities": priorities}
            for number, (name, size, priorities) in enumerate(names)
        }

    def of_interface(self, name: str, settings: Tree) -> Tree:
        """The answer to ``GET /interface/<name>/qos`` for a physical port. Equal profiles share its parts."""
        kinds = ("mapping", "egress-scheduler", "congestion-control", "pfc")
        chosen = Profiles(*(str(get_or(settings, "default-global", kind, "profile")) for kind in kinds))
        if chosen not in self._by_profiles:
            self._by_profiles[chosen] = self._of_profiles(chosen)
        effective = self._by_profiles[chosen]
        return {**effective, "pfc-watchdog": self._watchdog_of(settings)} if name.startswith("swp") else effective

    def _of_profiles(self, chosen: Profiles) -> Tree:
        effective: dict[str, Any] = {
            "mapping": {"profile": chosen.mapping, **self.mapping(chosen.mapping)},
            "egress-queue-mapping": self.queues(),
            "egress-scheduler": {"profile": chosen.scheduler, **self.scheduler(chosen.scheduler)},
            "congestion-control": {"profile": chosen.congestion, **self.congestion(chosen.congestion)},
            "pfc": {"profile": chosen.pfc, **self.pfc(chosen.pfc)},
        }
        if self.is_roce:
            effective["roce"] = {"status": self.roce(chosen)}
        return effective

    def _watchdog_of(self, settings: Tree) -> Tree:
        configured = settings.get("pfc-watchdog")
        is_on = configured is not None and configured.get("state", "enable") == "enable"
        # the pages print `enabled` for the operational state although the configured value is `enable`
        status = {str(n): {"status": "OK", "deadlock-count": 0} for n in range(8)} if is_on else {}
        return {"state": "enabled" if is_on else "disabled", **({"status": status} if is_on else {})}


def _codes(table: Tree, priority: int) -> str:
    return ",".join(key for key, entry in table.items() if entry["switch-priority"] == priority) or "-"


def _weight(entry: Tree) -> str:
    return "strict-priority" if entry.get("mode") == "strict" else f"DWRR-{entry.get('bw-percent', 0)}%"

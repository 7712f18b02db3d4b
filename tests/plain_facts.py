"""Three operating systems with round figures: design tests must not change with a vendor's next release.

They differ in each way that ``realise`` adjusts: MTU, strict queue, seed, timers, ECN cells, class MTU.
"""

from functools import partial

from nornir_tasks.design.config.qos import Ecn, Watchdog
from nornir_tasks.design.model.capabilities import Balancing, Capabilities, OsFacts
from nornir_tasks.design.model.headroom import CableFacts

BASE = {
    "services": ("bfd", "bgp"),
    "max_lossless_classes": 1,
    "ecn_auto": Ecn(150_000, 1_500_000, 100),
    "ecn_source": "a published start value",
    "watchdog": Watchdog(100, 200, 200),
    "has_prefix_restart": True,
    "max_ecmp_paths": 128,
    "bfd_min_interval_ms": 50,
    "has_commit_timer": True,
    "min_confirm_s": 30,
    "max_confirm_s": 3600,
    "max_apply_s": 60,
    "cables": CableFacts(own_m=10_000, own_source="tests"),
}
OWN = {
    "eos": {
        "loopback_name": "Loopback0",
        "max_mtu_bytes": 9214,
        "cnp_priority": None,
        "queue_profile_name": "GPUFABRIC-LOSSLESS",
        "ecn_cell_bytes": 256,
        "has_class_mtu": False,
        "has_hash_seed": True,
        "has_advertisement_interval": True,
        "max_hash_seed": 2,
        "has_connect_retry": False,
        "access_mtu": "none",
    },
    "nxos": {
        "loopback_name": "loopback0",
        "max_mtu_bytes": 9216,
        "cnp_priority": 7,
        "queue_profile_name": "GPUFABRIC-CLASSIFY",
        "ecn_cell_bytes": 1000,
        "has_class_mtu": True,
        "has_hash_seed": False,
        "has_advertisement_interval": False,
        "access_mtu": "jumbo",
        "svi_service": "interface-vlan",
    },
    "nvue": {
        "loopback_name": "lo",
        "max_mtu_bytes": 9216,
        "cnp_priority": None,
        "queue_profile_name": "default-global",
        "ecn_cell_bytes": 1,
        "has_class_mtu": False,
        "has_hash_seed": True,
        "has_advertisement_interval": True,
        "bfd_min_interval_ms": 400,
        "unnumbered_with": (("nvue", r"5\.\d+"),),
        "has_link_local_bfd": True,
        "svi_prefix": "vlan",
        "has_vlan_names": False,
    },
}
FLOWLET = Balancing("flowlet", "a vendor's guide", has_ports=False, flow_sets=((32, 64), (16, 128), (8, 256)))
BALANCING = {
    "eos": (FLOWLET,),
    "nxos": tuple(Balancing(mode, "a vendor's guide", has_ports=True) for mode in ("flowlet", "per_packet")),
    "nvue": (Balancing("per_packet", "a vendor's guide", has_ports=True, speeds_gbps=(200, 400)),),
}
WITHOUT_BALANCING = ("10.4(3)",)
RELEASES = {"eos": ("4.33.1F",), "nxos": ("10.4(3)", "10.5(1)"), "nvue": ("5.14", "5.16")}
SPLIT_PARTS = {"eos": "", "nxos": r"(Ethernet\d+/\d+)/\d+", "nvue": r"(swp\d+)s\d+"}
ASICS = {"eos": ("tomahawk4", "tomahawk5"), "nxos": ("cloudscale-gx2",), "nvue": ("spectrum4",)}


def _port_name(os: str, number: int, leg: int = 0, ways: int = 1, lanes: int | None = None) -> str:
    if os == "eos":
        return f"Ethernet{number}/{1 + leg * (lanes or 0)}"
    if os == "nxos":
        return f"Ethernet1/{number}" + (f"/{leg + 1}" if ways > 1 else "")
    return f"swp{number}" + (f"s{leg}" if ways > 1 else "")


def plain_facts() -> dict[str, OsFacts]:
    """OsFacts by OS name."""
    return {os: _facts(os) for os in OWN}


def _facts(os: str) -> OsFacts:
    def capabilities(release: str, asic: str) -> Capabilities:
        if release not in RELEASES[os]:
            raise KeyError(f"release {release}")
        if asic not in ASICS[os]:
            raise KeyError(f"ASIC {asic}")
        balancing = () if release in WITHOUT_BALANCING else BALANCING[os]
        return Capabilities(os=os, release=release, asic=asic, load_balancing=balancing, **{**BASE, **OWN[os]})

    def sort_key(name: str) -> tuple[int, ...]:
        digits = "".join(each if each.isdigit() else " " for each in name)
        return (not name.startswith(("lo", "Lo")), *(int(part) for part in digits.split()))

    modes = {each.mode: f"{os} of this lab" for each in BALANCING[os]}
    return OsFacts(
        os, RELEASES[os], capabilities, partial(_port_name, os), sort_key, SPLIT_PARTS[os], load_balancing=modes
    )

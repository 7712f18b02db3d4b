"""show vrf, show vrf detail, show vrf interface.

Lines and keys: tests/recorded/nxos_show/vrf.txt, vrf_text.txt, base.txt; detail as text: ntc-templates at d0bc5a4,
tests/cisco_nxos/show_vrf_detail. Numbers: default is 1, management 2, others follow in order of configuration (M).
"""

from __future__ import annotations

from .interface_facts import facts
from .reply import Body, Reply, View, table

_BUILT_IN = ("default", "management")


def vrf_numbers(view: View) -> dict[str, int]:
    """Every VRF with its number."""
    others = [node.params["name"] for node in view.store.running.find("vrf context")]
    return {name: number for number, name in enumerate(dict.fromkeys((*_BUILT_IN, *others)), start=1)}


def vrf(view: View) -> Reply:
    """Show vrf: by name, as recorded; a VRF that exists is up."""
    numbers = vrf_numbers(view)
    rows = [
        {"vrf_name": name, "vrf_id": numbers[name], "vrf_state": "Up", "vrf_reason": "--"} for name in sorted(numbers)
    ]
    lines = [f"{row['vrf_name']:<36}{row['vrf_id']:>5} Up      --" for row in rows]
    return Reply(
        "\n".join(["VRF-Name                           VRF-ID State   Reason", *lines, ""]), table("vrf", rows)
    )


def detail(view: View) -> Reply:
    """Show vrf detail. No VRF of the lab has a route distinguisher."""
    rows: list[Body] = []
    lines = []
    for name, number in vrf_numbers(view).items():
        tables = [
            {"tib_id": base + number, "tib_af": family, "tib_nonce": base + number, "tib_state": "Up"}
            for family, base in (("IPv6", 80_000_000), ("IPv4", 0))
        ]
        rows.append(
            {
                "vrf_name": name,
                "vrf_id": number,
                "vrf_state": "Up",
                "vpnid": "unknown",
                "rd": "0:0",
                "vni": 0,
                "max_routes": 0,
                "mid_threshold": 0,
                **table("tib", tables),
            }
        )
        lines += [
            f"VRF-Name: {name}, VRF-ID: {number}, State: Up",
            "    VPNID: unknown",
            "    RD: 0:0",
            "    Max Routes: 0  Mid-Threshold: 0",
            f"    Table-ID: 0x8000{number:04x}, AF: IPv6, Fwd-ID: 0x8000{number:04x}, State: Up",
            f"    Table-ID: 0x0000{number:04x}, AF: IPv4, Fwd-ID: 0x0000{number:04x}, State: Up",
            "",
        ]
    return Reply("\n".join(lines), table("vrf", rows))


def interface(view: View) -> Reply:
    """Show vrf interface: ports that are not switched, SVIs and loopbacks."""
    numbers = vrf_numbers(view)
    lines = [f"{'Interface':<26}{'VRF-Name':<32}{'VRF-ID':>6}  Site-of-Origin"]
    rows: list[Body] = []
    for each in facts(view):
        if each.mode != "routed":
            continue
        rows.append({"if_name": each.name, "vrf_name": each.vrf, "vrf_id": numbers.get(each.vrf, 0), "soo": "--"})
        lines.append(f"{each.name:<26}{each.vrf:<32}{numbers.get(each.vrf, 0):>6}  --")
    return Reply("\n".join([*lines, ""]), table("if", rows))

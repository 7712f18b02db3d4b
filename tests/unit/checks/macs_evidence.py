"""Access switches of an out-of-band plane that have learned what the plan has at their ports."""

from collections.abc import Mapping
from dataclasses import replace

from nornir_tasks.checks.evidence import End, Evidence
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.platforms.observed import LearnedMac, LldpNeighbor, Observed
from nornir_tasks.usecases.validate import far_ends
from tests.unit.design.out_of_band import network

SWITCHES = ("oob-leaf-g1", "oob-leaf-g2")
PLAN = {each.host: (each.leaf, each.leaf_port) for each in network().attached if each.host not in network()}
"""Device -> its port."""
MACS = {name: f"02:00:00:00:01:{number:02x}" for number, name in enumerate(PLAN)}


def evidence(
    at: Mapping[str, End] = PLAN,
    *,
    macs: Mapping[str, str] = MACS,
    more: Mapping[End, str] | None = None,
    heard: Mapping[End, End] | None = None,
) -> Evidence:
    """All as planned, but: where devices are, what is declared, other addresses at ports, who is heard by LLDP."""
    found = network()
    rows = [(end, MACS[name]) for name, end in at.items()] + [*(more or {}).items()]
    observed = {
        device: replace(
            Observed(device, (), (), (), (), (), None),
            macs=tuple(LearnedMac(port, mac) for (switch, port), mac in rows if switch == device),
            lldp=tuple(LldpNeighbor(port, *far) for (switch, port), far in (heard or {}).items() if switch == device),
        )
        for device in SWITCHES
    }
    wanted = {each.name: device_config(found, each).config for each in found.devices}
    return Evidence(
        network=found,
        wanted=wanted,
        running={},
        changes={},
        observed=observed,
        far=far_ends(found),
        unreachable={},
        macs=macs,
    )

"""Random configurations in which spanning tree, the hash of groups and storm control are ours, or are not."""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.load_balancing import Hashing
from nornir_tasks.design.config.spanning_tree import BRIDGE_PRIORITIES, SpanningTree
from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.system_facts import StormFacts


def maybe_switched(draw: st.DrawFn, config: DeviceConfig, known: Capabilities) -> DeviceConfig:
    """The same configuration, perhaps as the root of its trees, with a hash of its groups, with limits on its ports."""
    if known.stp_mode is not None and draw(st.booleans()):
        tree = SpanningTree(known.stp_mode, draw(st.sampled_from(BRIDGE_PRIORITIES)))
        config = replace(config, spanning_tree=tree)
    if known.lag_hash == "line" and draw(st.booleans()):
        seed = None if config.hashing is None else config.hashing.seed
        config = replace(config, hashing=Hashing(seed, lag_ports=True))
    return _maybe_limited(draw, config, known)


def _maybe_limited(draw: st.DrawFn, config: DeviceConfig, known: Capabilities) -> DeviceConfig:
    """With storm control on all switched ports, or on none."""
    facts = known.storm_control
    if facts is None or draw(st.booleans()):
        return config
    numbers = st.integers(facts.min_pps, facts.max_pps)
    limits = draw(st.dictionaries(st.sampled_from(sorted(facts.kinds)), numbers, min_size=1))
    storm = StormControl(**{f"{kind}_pps": most_pps for kind, most_pps in limits.items()})
    ports = (replace(each, storm=storm) if _has_limits(each, facts) else each for each in config.interfaces)
    return replace(config, interfaces=tuple(ports))


def _has_limits(port: Interface, facts: StormFacts) -> bool:
    is_switched = port.access_vlan is not None or port.tagged_vlans is not None
    if facts.is_on_members:
        return port.member is not None or (is_switched and port.lag is None)
    return is_switched and port.member is None

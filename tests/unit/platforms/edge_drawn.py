"""Random configurations in which the switch's own spanning tree and hash of groups are ours, or are not."""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.config.load_balancing import Hashing
from nornir_tasks.design.config.spanning_tree import BRIDGE_PRIORITIES, SpanningTree
from nornir_tasks.design.device_config import DeviceConfig


def maybe_switched(draw: st.DrawFn, config: DeviceConfig, known: Capabilities) -> DeviceConfig:
    """The same configuration, perhaps as the root of its trees, and with a hash of its groups where it is a line."""
    if known.stp_mode is not None and draw(st.booleans()):
        tree = SpanningTree(known.stp_mode, draw(st.sampled_from(BRIDGE_PRIORITIES)))
        config = replace(config, spanning_tree=tree)
    if known.lag_hash == "line" and draw(st.booleans()):
        seed = None if config.hashing is None else config.hashing.seed
        config = replace(config, hashing=Hashing(seed, lag_ports=True))
    return config

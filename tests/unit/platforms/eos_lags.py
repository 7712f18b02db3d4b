"""Ports of EOS configurations made members of groups, for the tests."""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.lag import LacpRate, Lag, LagMember
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.model.device_config import DeviceConfig


def bundled(port: Interface, number: int, lag: Lag, rate: LacpRate) -> tuple[Interface, Interface]:
    """The group that takes on what the port is, and the port as its member."""
    group = replace(port, name=f"Port-Channel{number}", layer1=None, qos_profile=None, lag=lag)
    member = replace(port, address=None, mtu_bytes=None, vrf=None, storm=None, member=LagMember(group.name, rate))
    if lag.individual:
        return group, member
    return group, replace(member, access_vlan=None, tagged_vlans=None, native_vlan=None, edge=False)


@st.composite
def lags(draw: st.DrawFn, port: Interface) -> tuple[Lag, LacpRate]:
    individual = port.mtu_bytes is None and draw(st.booleans())
    wait_s = draw(st.sampled_from((0, 30, 90, 300))) if individual else None
    pair_id = None if port.mtu_bytes else draw(st.none() | st.integers(1, 2000))
    return Lag(None, individual, wait_s, draw(st.none() | st.integers(0, 120)), pair_id), draw(
        st.sampled_from(("fast", "slow"))
    )


def paired(config: DeviceConfig, keepalive: str, vrf: str | None, *delays_s: int | None) -> DeviceConfig:
    """The switch as one of a pair, whose peer link is two more ports; ``delays_s``: groups', others', detection."""
    link = "Port-Channel1000"
    group = Interface(link, "peer", None, None, True, None, lag=Lag(None), tagged_vlans=(200, 4094))
    members = (
        Interface(f"Ethernet{cage}/1", "peer", None, None, True, None, member=LagMember(link, "fast"))
        for cage in (31, 32)
    )
    svi = Interface("Vlan4094", "peer", "169.254.0.0/31", 9214, True, None)
    reload_s, routed_s, *detection_s = delays_s
    pair = PairSettings(
        peer_link=link,
        keepalive_address=keepalive,
        keepalive_vrf=vrf,
        reload_delay_s=reload_s or 0,
        routed_reload_delay_s=routed_s,
        name="leaf-g0",
        vlan=4094,
        peer_address="169.254.0.1",
        detection_delay_s=next(iter(detection_s), None),
    )
    vlans = (*config.vlans, Vlan(4094, "COMPUTE-PEER"))
    return replace(config, vlans=vlans, interfaces=(*config.interfaces, group, *members, svi), pair=pair)


def maybe_paired(draw: st.DrawFn, config: DeviceConfig) -> DeviceConfig:
    """Sometimes one of a pair."""
    if not draw(st.booleans()):
        return config
    keepalive = draw(st.sampled_from(("10.255.0.2", "192.0.2.2")))
    vrf = draw(st.none() | st.sampled_from(("COMPUTE-BLUE", "MGMT")))
    delay_s = st.sampled_from((0, 1, 299, 300, 330, 86_400))
    return paired(config, keepalive, vrf, draw(delay_s), draw(delay_s), draw(st.none() | st.integers(0, 86_400)))

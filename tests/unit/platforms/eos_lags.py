"""Ports of EOS configurations made members of groups, for the tests."""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.lag import LacpRate, Lag, LagMember


def bundled(port: Interface, number: int, lag: Lag, rate: LacpRate) -> tuple[Interface, Interface]:
    """The group that takes on what the port is, and the port as its member."""
    group = replace(port, name=f"Port-Channel{number}", layer1=None, qos_profile=None, lag=lag)
    member = replace(port, address=None, mtu_bytes=None, vrf=None, member=LagMember(group.name, rate))
    if lag.individual:
        return group, member
    return group, replace(member, access_vlan=None, tagged_vlans=None, native_vlan=None, edge=False)


@st.composite
def lags(draw: st.DrawFn, port: Interface) -> tuple[Lag, LacpRate]:
    individual = port.mtu_bytes is None and draw(st.booleans())
    wait_s = draw(st.sampled_from((0, 30, 90, 300))) if individual else None
    return Lag(None, individual, wait_s, draw(st.none() | st.integers(0, 120))), draw(st.sampled_from(("fast", "slow")))

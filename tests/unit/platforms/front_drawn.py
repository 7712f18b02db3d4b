"""Front fabrics at random: which VLANs, flows, relays, address families and bonds their planes have."""

from typing import Any

from hypothesis import strategies as st

from nornir_tasks.design.pipeline import Realised, device_config
from tests.unit.design import front, front_full


@st.composite
def intents(draw: st.DrawFn) -> dict[str, Any]:
    """The intent of the full front fabric, with some of it left out or changed."""
    data = front_full.data()
    storage, business = data["planes"]["storage"], data["planes"]["business"]
    vlans = draw(st.lists(st.integers(2, 999), min_size=4, max_size=4, unique=True))
    storage["vlan"], business["vlan"], business["vlans"]["login"]["id"], business["vlans"]["api"]["id"] = vlans
    if draw(st.booleans()):
        del storage["pools"]["hosts_v6"]
    if draw(st.booleans()):
        del storage["flows"], storage["services"]
    if draw(st.booleans()):
        business["default_route"] = True
    servers = st.lists(st.sampled_from(("192.0.2.1", "192.0.2.53", "198.51.100.9")), max_size=3, unique=True)
    for plane in (storage, business):
        plane.pop("dhcp_relay", None)
        if relays := draw(servers):
            plane["dhcp_relay"] = relays
        plane.pop("storm_control", None)
        kinds = ("broadcast_pps", "multicast_pps", *(("unknown_unicast_pps",) if plane is business else ()))
        if limits := draw(st.dictionaries(st.sampled_from(kinds), st.integers(5, 16_771_376))):
            plane["storm_control"] = limits
    for group, plane_name in (("gpu", "storage"), ("store", "storage"), ("login", "business")):
        rate, pxe = draw(st.sampled_from(("fast", "slow"))), draw(st.booleans())
        bond = {"rate": rate} | ({"pxe": True, "fallback": True} if pxe else {})
        data["hosts"][group]["nics"][plane_name]["bond"] = bond
    data["policy"]["mtu"] = {"host": draw(st.sampled_from((1500, 9000))), "fabric": draw(st.integers(9000, 9216))}
    return data


@st.composite
def leaves(draw: st.DrawFn, os: str) -> tuple[Realised, Realised]:
    """Both leaves of a pair of this system in such a fabric."""
    network = front.built(draw(intents()))
    one, other = (network.device(f"{front_full.LEAVES[os]}-{which}") for which in "ab")
    return device_config(network, one), device_config(network, other)

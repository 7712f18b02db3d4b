"""Front fabrics at random: which VLANs, flows, relays, address families and bonds their planes have."""

from typing import Any

from hypothesis import strategies as st

from nornir_tasks.design.pipeline import Realised, device_config
from tests.unit.design import front, front_full


@st.composite
def intents(draw: st.DrawFn) -> dict[str, Any]:
    """The intent of the full front fabric, with some of it left out or changed."""
    v6 = draw(st.sampled_from((None, "gpu", "store")))
    data = front_full.data(v6)
    storage, business = data["planes"]["storage"], data["planes"]["business"]
    vlans = draw(st.lists(st.integers(2, 999), min_size=6, max_size=6, unique=True))
    storage["vlan"], business["vlan"], business["default_route"]["vlan"], of_v6 = vlans[:4]
    if v6 is not None:
        storage["vlans"]["v6"]["id"] = of_v6
    for name, number in zip(("login", "api"), vlans[4:], strict=True):
        business["vlans"][name]["id"] = number
    if draw(st.booleans()):
        del storage["flows"], storage["services"]
    # the way out is for business alone: servers of storage are in the site
    there = {"storage": ("10.169.0.100", "10.169.0.101", "10.171.1.9"), "business": ("192.0.2.1", "192.0.2.53")}
    for plane in (storage, business):
        plane.pop("dhcp_relay", None)
        own = there["storage" if plane is storage else "business"]
        if relays := draw(st.lists(st.sampled_from(own), max_size=len(own), unique=True)):
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

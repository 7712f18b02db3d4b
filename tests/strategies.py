"""Legal intents at random, small enough to design in a blink; for laws that must hold for every site.

``sites()`` draws the data of a fabric.yml and keeps it only if it can be built with ``plain_facts`` and the catalogue;
``intent_data()`` draws data for other facts, the real platforms' for instance.
"""

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from nornir_tasks.design.model.links import HostNic
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.judge import findings
from tests.plain_facts import plain_facts

LEAVES = (
    {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"},
    {"platform": "eos", "release": "4.33.1F", "model": "7060X6-64PE"},
    {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C9332D-GX2B"},
    {"platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A"},
    {"platform": "nvue", "release": "5.14", "model": "SN5600"},
)
SPINES = (*LEAVES[:2], LEAVES[3], LEAVES[4], {"platform": "nvue", "release": "5.16", "model": "SN5600"})
UNNUMBERED = SPINES[3:]
"""What unnumbered links are offered between, at either end."""


@st.composite
def classes(draw: st.DrawFn) -> dict[str, Any]:
    """Three classes with random code points and weights; RDMA lossless, notifications strict."""
    points = draw(st.lists(st.integers(1, 63), min_size=2, max_size=8, unique=True))
    cut = draw(st.integers(1, len(points) - 1))
    weight = draw(st.integers(1, 99))
    lossless, cnp, *_ = draw(st.permutations([1, 2, 3, 4, 5, 6]))
    roce = {"dscp": tuple(points[:cut]), "priority": lossless, "lossless": True, "ecn": "auto", "weight": weight}
    if draw(st.booleans()):
        low = draw(st.integers(10, 900)) * 1000
        high = low + draw(st.integers(13, 2000)) * 1000
        roce["ecn"] = {"min_bytes": low, "max_bytes": high, "probability_percent": draw(st.integers(1, 100))}
    return {
        "roce": roce,
        "cnp": {"dscp": tuple(points[cut:]), "priority": cnp, "strict": True},
        "bulk": {"dscp": 0, "priority": 0, "weight": 100 - weight},
    }


@st.composite
def intent_data(draw: st.DrawFn) -> dict[str, Any]:
    """The data of a fabric.yml; most of it can be built."""
    design_name = draw(st.sampled_from(("rail", "rail", "clos")))
    rails = draw(st.sampled_from((1, 2, 4, 8)))
    count = draw(st.integers(1, 40))
    most = draw(st.integers(count, 80))
    nics: dict[str, Any] = {"rails": rails, "speed": draw(st.sampled_from(("200G", "400G")))}
    if draw(st.booleans()):
        nics["per_group"] = draw(st.integers(1, 16))
    plane: dict[str, Any] = {"fabric": "compute", "pools": {"hosts": "10.168.0.0/13"}}
    plane["link"] = draw(st.sampled_from(("p2p", "svi", "subnet/29")))
    if plane["link"] == "svi" and draw(st.booleans()):
        plane["vlan"] = draw(st.integers(2, 1005))
    addressing = draw(st.sampled_from(("numbered", "numbered", "unnumbered")))
    leaves, spines = (LEAVES, SPINES) if addressing == "numbered" else (UNNUMBERED, UNNUMBERED)
    leaf: dict[str, Any] = dict(draw(st.sampled_from(leaves)))
    if design_name == "rail" and rails > 1 and draw(st.booleans()):
        odd = tuple(range(1, rails, 2))
        leaf["overrides"] = ({"rails": odd, **draw(st.sampled_from(leaves))},)
    spine: dict[str, Any] = dict(draw(st.sampled_from(spines)))
    spine["oversubscription"] = draw(st.sampled_from((0.5, 1, 2, 7)))
    return {
        "site": "random",
        "policy": {
            "classes": draw(classes()),
            "congestion": "dcqcn",
            "mtu": {"host": draw(st.sampled_from((1500, 4200, 9000))), "fabric": draw(st.integers(9000, 9216))},
        },
        "fabrics": {
            "compute": {
                "design": design_name,
                "pools": {
                    "loopback": "10.255.0.0/16",
                    "links": "10.160.0.0/13",
                    "asn": draw(st.sampled_from(("4200000000-4200099999", "64512-65534"))),
                },
                "leaf": leaf,
                "spine": spine,
                "routing": {"addressing": addressing, "bfd": draw(st.booleans())},
            }
        },
        "planes": {"compute": plane | {"cross_rail": draw(st.sampled_from(("fabric", "nvlink")))}},
        "hosts": {"gpu": {"count": count, "max": most, "nics": {"compute": nics}}},
    }


def intent_of(data: dict[str, Any]) -> Intent:
    """The intent of this data, which no rule refuses, as of a file that is read."""
    intent = Intent.model_validate(data)
    assert list(findings(intent)) == []
    return intent


def built(data: dict[str, Any]) -> Network:
    """The fabric of this data, with the plain operating systems."""
    return design(intent_of(data), load_catalogue(), plain_facts())


def rails(network: Network) -> list[HostNic]:
    """Every NIC port of every host that carries a rail of the compute plane."""
    return [nic for host in network.hosts for nic in network.rails_of(host, "compute")]


@st.composite
def sites(draw: st.DrawFn) -> tuple[dict[str, Any], Network]:
    """Data that can be built, and its fabric."""
    data = draw(intent_data())
    try:
        return data, built(data)
    except DesignError:
        assume(False)
        raise


def fabrics() -> st.SearchStrategy[Network]:
    """Fabrics of random legal intents."""
    return sites().map(lambda site: site[1])

"""Pairs of leaves: what each switch says of its pair, what is refused of one, and who owns its lines."""

from dataclasses import fields, replace

import pytest

from nornir_tasks.design.config.bgp import Neighbor
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import ClassPolicy, PartialConfig, PartialPort, ProfilePolicy
from nornir_tasks.design.model.system_facts import PEER_VLAN
from nornir_tasks.design.realise import mlag_limits
from tests.unit.design import front
from tests.unit.design.paired import DEVICES, PAIRS, realised

LINK, GROUP = "Port-Channel1000", "Port-Channel1"
PAIR = PairSettings(
    peer_link=LINK,
    keepalive_address="10.255.0.2",
    keepalive_source="10.255.0.1",
    reload_delay_s=300,
    name="leaf-g1",
    number=1,
    vlan=PEER_VLAN,
    peer_address="169.254.0.1",
    mac_address="44:38:39:ff:00:01",
    priority=1000,
    routed_reload_delay_s=330,
    detection_delay_s=5,
)
PORTS = {
    LINK: PartialPort(tagged_vlans=frozenset({200, PEER_VLAN}), mtu_bytes=9214, profile="fabric", lag=Lag("fast")),
    GROUP: PartialPort(tagged_vlans=frozenset({200}), mtu_bytes=9000, profile="fabric", lag=Lag("fast", pair_id=1)),
    "Vlan4094": PartialPort(address="169.254.0.0/31", mtu_bytes=1500),
    "Loopback0": PartialPort(address="10.255.0.1/32"),
}
DATA = ClassPolicy("data", (26,), 3, lossless=True, strict=False, weight_percent=60, ecn=None)
SESSION = Neighbor("169.254.0.1", 65002, "FRONT-PAIR", "leaf-b peer")
INTENDED = PartialConfig(pair=PAIR, ports=PORTS, classes=(DATA,), neighbors={SESSION.key: SESSION})


def known() -> Capabilities:
    return front.network().device(DEVICES["eos"]).capabilities


def refused(intended: PartialConfig, capabilities: Capabilities | None = None) -> str:
    found = mlag_limits.problems("leaf", intended, capabilities or known())
    return "\n".join(f"{each.where}: {each.what}" for each in found)


def with_pair(**changes: object) -> PartialConfig:
    return replace(INTENDED, pair=replace(PAIR, **changes))  # type: ignore[arg-type]


def with_port(name: str, **changes: object) -> PartialConfig:
    port = replace(PORTS.get(name, PORTS[GROUP]), **changes)  # type: ignore[arg-type]
    return replace(INTENDED, ports={**PORTS, name: port})


def test_a_sound_pair_is_not_refused() -> None:
    assert refused(INTENDED) == ""


@pytest.mark.parametrize(
    ("intended", "what"),
    [
        (
            replace(INTENDED, pair=None),
            f"{GROUP}: a link aggregation group over two switches, of which this is in no pair",
        ),
        (replace(INTENDED, ports={}), f"{LINK}: a pair has no peer link"),
        (with_port(LINK, tagged_vlans=None), f"{LINK}: a pair has no peer link"),
        (with_port(LINK, lag=Lag("fast", pair_id=9)), "the peer link is a group over both switches itself"),
        (with_port(LINK, tagged_vlans=frozenset({PEER_VLAN})), "the peer link lacks VLANs"),
        (with_port(LINK, tagged_vlans=frozenset({200})), "the peer link lacks VLANs"),
        (with_port(LINK, mtu_bytes=1500), "the peer link takes smaller packets than the pair's groups"),
        (with_port(LINK, profile=None), "the peer link drops packets of lossless classes"),
        (with_pair(keepalive_address="169.254.0.1"), "the keepalive goes to an address on the peer link"),
        (with_pair(keepalive_address="169.254.0.0"), "the keepalive crosses the peer link"),
        (with_pair(keepalive_address="leaf-b"), "the keepalive crosses the peer link"),
        (with_pair(reload_delay_s=86_401), "groups cannot wait so long after a restart"),
        (with_pair(routed_reload_delay_s=0), "other ports cannot wait so long after a restart"),
        (with_pair(peer_address=None), "a pair needs peer address on this OS"),
        (replace(INTENDED, neighbors={}), "bonds end on a pair whose leaves do not route to one another"),
        (with_port("Vlan4094", address=None), "bonds end on a pair whose leaves do not route to one another"),
        (with_port("Port-Channel2"), f"Port-Channel2: {GROUP} has the same number"),
        (with_port(GROUP, lag=Lag("fast", pair_id=2001)), "a group over two switches cannot have this number"),
        (
            with_port(GROUP, tagged_vlans=None, address="10.0.0.0/31"),
            "a routed group cannot be over two switches",
        ),
    ],
)
def test_what_would_lose_hosts_or_split_a_pair_is_refused_by_name(intended: PartialConfig, what: str) -> None:
    assert what in refused(intended)


def test_a_peer_link_whose_own_profile_drops_a_class_that_hosts_do_not_is_refused() -> None:
    lossy = ProfilePolicy((replace(DATA, lossless=False),))
    intended = replace(with_port(LINK, profile="lossy"), profiles={"lossy": lossy})
    assert refused(intended) == f"leaf {LINK}: the peer link drops packets of lossless classes"


def test_an_os_without_pairs_refuses_them_with_its_reason() -> None:
    without = replace(known(), pair=None, pair_gap="nobody wrote it")
    assert refused(INTENDED, without) == "leaf pair: no pair of switches can be configured: nobody wrote it"
    assert mlag_limits.within(PAIR, without) is None


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_both_switches_of_a_pair_say_the_same_but_for_their_addresses_and_roles(pair: str) -> None:
    one, other = (realised(f"{pair}-{place}").config.pair for place in "ab")
    assert one is not None
    assert other is not None
    differing = {each.name for each in fields(one) if getattr(one, each.name) != getattr(other, each.name)}
    assert differing <= {"keepalive_address", "keepalive_source", "peer_address", "priority"}
    assert "keepalive_address" in differing


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_each_asks_the_others_loopback_and_the_peer_link_has_every_vlan_of_the_pair(device: str) -> None:
    network, config = front.network(), realised(device).config
    assert config.pair is not None
    other = f"{device[:-1]}b"
    assert config.pair.keepalive_address == network.device(other).loopback
    link = next(port for port in config.interfaces if port.name == config.pair.peer_link)
    vlans = {segment.vlan for plane in network.planes for segment in network.segments_at(device, plane)}
    assert vlans <= {*(link.tagged_vlans or ())}
    assert [port.name for port in config.interfaces if port.member and port.member.group == link.name] == [
        each.upper.port for pair in network.pairs if device in pair.leaves for each in pair.links
    ]


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_the_peer_link_and_its_vlan_are_the_fabrics(device: str) -> None:
    each = realised(device)
    assert each.config.pair is not None
    assert each.claims.by_pair("") == each.claims.fabric
    assert each.claims.by_port(each.config.pair.peer_link) == each.claims.fabric
    facts = front.network().device(device).capabilities.pair
    assert facts is not None
    assert each.claims.by_vlan(str(facts.peer_vlan)) == each.claims.fabric
    assert each.claims.by_vlan(str({3967, 4094}.difference({facts.peer_vlan}).pop())) is None


def test_a_fabric_without_pairs_owns_no_pair() -> None:
    spine = next(each for each in front.network().devices if each.level == 1)
    assert realised(spine.name).claims.by_pair("") is None


def test_pairs_whose_gateways_are_in_a_vrf_are_designed_and_warned_of() -> None:
    data = front.data()
    for plane in ("storage", "business"):
        data["planes"][plane]["vrf"] = "FRONT"
    (warning,) = mlag_limits.warnings(front.built(data))
    assert warning.startswith("fabrics.front: no session over the peer links of its pairs in VRF FRONT")
    assert mlag_limits.warnings(front.network()) == ()

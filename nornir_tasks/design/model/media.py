"""The media between two ports: the speeds, lanes and reach of each.

A straight medium (copper, AOC) passes each lane on unchanged, so both ends need the same lanes. Optics convert: each
end's module converts its own electrical lanes into the same light. Reach is checked where a standard states it for all
vendors; the reach of active cables depends on the product, so it is not checked.
"""

from dataclasses import dataclass

TWIN = "2x"
"""Prefix of media with twin-port optics in split cages: two connectors, a jumper in each."""

TWISTED_PAIR = "BASE-T"
"""A patch cord between RJ45 ports, at the one speed that these have in the catalogue, 1G."""

RJ45 = "RJ45"
"""The ``cage`` of a port for twisted pair, with nothing to plug in but the cord."""

TWISTED_PAIR_REACH_M = 100
"""IEEE 802.3 clause 40 (1000BASE-T). CumulusNetworks/docs at 0a592e5d, cumulus-linux-514, Switch-Port-Attributes.md,
SN2201: "RJ45 up to 100m CAT5E/6"."""

STRAIGHT = frozenset({"DAC", "ACC", "AEC", "AOC", TWISTED_PAIR})
"""Media of one assembly that passes its lanes on one by one."""

COPPER = frozenset({"DAC", "ACC", "AEC", TWISTED_PAIR})
"""Media without optics at their ends."""

PASSIVE_REACH_M = {100: 3, 50: 3, 25: 5}
"""Lane rate -> passive copper. 50G: IEEE 802.3cd (200GBASE-CR4); 25G: IEEE 802.3bj and 802.3by (with RS-FEC). 100G:
IEEE 802.3ck says 2 m, NVIDIA's LinkX catalogue has 800G DACs up to 3 m."""


SLOW_BELOW_GBPS = 400

CAGE_LANES = 8
"""Electrical lanes of the widest cage, OSFP or QSFP-DD."""

CONNECTORS = 2
"""Connectors of a twin-port optic. No source names an optic with more: more legs come out of fewer connectors."""


@dataclass(frozen=True, slots=True)
class OpticType:
    """One type of optics."""

    reach_m: dict[int, int]
    """Speed -> reach."""
    parallel: bool
    """One fibre pair for each lane of light, so that one module's fibres can go to several slower ones."""
    connector: str
    fibre: str
    """Grade of the fibre."""
    lanes: int = 4
    """Lanes of light."""
    slow_connector: str | None = None
    """Connector below :data:`SLOW_BELOW_GBPS`, if it is another one."""


# Connectors and fibres: docs.nvidia.com, Cable Management FAQ, Cable and Connector Definitions (100G and 200G SR4
# MPO/UPC, single-mode MPO/APC, SR8 MPO-16/APC, duplex LC/UPC), LinkX 100G-PAM4 Product Line Overview (400G SR4 and DR4
# MPO-12/APC), Structured Cabling Requirements (OM4, OS2); 800GBASE-DR8 on MPO-16/APC: a public price list (document
# 68919707979, MMS4X00-NM16); 400GBASE-VR4 as SR4, of which it is the shorter one (IEEE 802.3db).
OPTICS = {
    # IEEE 802.3bm (100GBASE-SR4), 802.3cd (200GBASE-SR4), 802.3db (400GBASE-SR4), on OM4
    "SR4": OpticType(
        {100: 100, 200: 100, 400: 100}, parallel=True, connector="MPO-12/APC", fibre="OM4", slow_connector="MPO-12/UPC"
    ),
    # IEEE 802.3cm (400GBASE-SR8), 802.3df (800GBASE-SR8), on OM4
    "SR8": OpticType({400: 100, 800: 100}, parallel=True, connector="MPO-16/APC", fibre="OM4", lanes=8),
    # IEEE 802.3db (400GBASE-VR4)
    "VR4": OpticType({400: 50}, parallel=True, connector="MPO-12/APC", fibre="OM4"),
    # IEEE 802.3bs (200GBASE-DR4, 400GBASE-DR4)
    "DR4": OpticType({200: 500, 400: 500}, parallel=True, connector="MPO-12/APC", fibre="OS2"),
    # IEEE 802.3df (800GBASE-DR8)
    "DR8": OpticType({800: 500}, parallel=True, connector="MPO-16/APC", fibre="OS2", lanes=8),
    # docs.nvidia.com, DGX SuperPOD Data Center Cabling Design Guide, Transceivers (25G SR and LR, duplex LC, 100 m and
    # 10 km); resources.l-p.com, How 25GBASE-SR works (OM4)
    "SR": OpticType({25: 100}, parallel=False, connector="LC duplex/UPC", fibre="OM4", lanes=1),
    "LR": OpticType({25: 10000}, parallel=False, connector="LC duplex/UPC", fibre="OS2", lanes=1),
    # IEEE 802.3bs (200GBASE-FR4), 802.3cu (400GBASE-FR4)
    "FR4": OpticType({200: 2000, 400: 2000}, parallel=False, connector="LC duplex/UPC", fibre="OS2"),
    # IEEE 802.3ba (100GBASE-LR4), 802.3bs (200GBASE-LR4), 802.3cu (400GBASE-LR4-6)
    "LR4": OpticType({100: 10000, 200: 10000, 400: 6000}, parallel=False, connector="LC duplex/UPC", fibre="OS2"),
}


def connector_of(medium: str, speed_gbps: int) -> str:
    """The connector on the module of one port of this speed."""
    optics, is_slow = OPTICS[medium], speed_gbps < SLOW_BELOW_GBPS
    return optics.slow_connector if is_slow and optics.slow_connector is not None else optics.connector


# DR4 at 4 x 100G: 100GBASE-DR transceivers on LC duplex (fiberolink.com, How can I break out a 400G port, i: Arista's
# 400G optics FAQ; ydfiberoptic.com, 400G DR4 to 100G DR1). DR8 and SR8 at 2 x 400G: two MPO-12 (aicplight.com, How to
# cable an 800G to 2x400G AI cluster; vitextech.com, 800G breakout configuration guide), /APC as every 400G DR4 and SR4.
_FAR_CONNECTORS = {
    ("DR4", 100, 4): "LC duplex",
    ("DR8", 400, 2): "MPO-12/APC",
    ("SR8", 400, 2): "MPO-12/APC",
}


def fans_out(medium: str, speed_gbps: int, ways: int) -> bool:
    """Do all legs of a split cage come out of one connector, by a splitter?"""
    optics = OPTICS[medium]
    is_too_wide = optics.lanes * ways > CAGE_LANES
    return ways > CONNECTORS or (ways > 1 and (speed_gbps not in optics.reach_m or is_too_wide))


def far_connector_of(medium: str, speed_gbps: int, ways: int) -> str | None:
    """Connector of the far transceivers where one connector fans out into legs of this speed; None: no source."""
    return _FAR_CONNECTORS.get((medium, speed_gbps, ways))


def polarity_of(connector: str) -> str:
    """Polarity of a jumper with this connector at both ends, by TIA-568.

    docs.nvidia.com, Structured Cabling Requirements, MPO/LC Cable Requirements.
    """
    return "B" if connector.startswith("MPO") else "A-B"


def is_twin(medium: str | None) -> bool:
    """Does each half of a split cage have its own connector?"""
    return medium is not None and medium.startswith(TWIN)


def light_of(medium: str) -> str:
    """The far end's optic for one connector of a twin-port optic, if that cage is whole: ``2xDR4`` -> ``DR4``."""
    return medium.removeprefix(TWIN)


def optic_reach_m(medium: str, speed_gbps: int, ways: int) -> int | None:
    """Reach of one leg of this speed over this type of optics; None if they do not carry it.

    A split end is either one module with a connector for each leg (a twin-port 2 x 400G-DR4), or one faster module
    whose fibres fan out (an 800G-DR8 to two 400G-DR4).
    """
    optics = OPTICS[medium]
    if fans_out(medium, speed_gbps, ways):
        return optics.reach_m.get(speed_gbps * ways) if optics.parallel else None
    return optics.reach_m.get(speed_gbps)


def is_wide_enough(medium: str, speed_gbps: int, ways: int, lanes: int) -> bool:
    """Has a port with this many lanes enough for these optics?

    Modules join several electrical lanes into one of light (400G-DR4 in a cage of 8 x 50G). None was found that does
    the reverse: 400G-SR8 is 8 x 50G at both sides (hydtechnology, 400G QSFP56-DD SR8: 400GAUI-8), and cages of
    4 x 100G take parts of four (docs.nvidia.com, LinkX 100G-PAM4 Product Line Overview). A splitter's far end has
    another type.
    """
    return fans_out(medium, speed_gbps, ways) or lanes >= OPTICS[medium].lanes


def fitting_optics(speed_gbps: int, ways: int, length_m: int, lanes: int) -> tuple[str, ...]:
    """Optics that carry this between ports with at least this many lanes, shortest reach first."""
    wide_enough = [name for name in OPTICS if is_wide_enough(name, speed_gbps, ways, lanes)]
    reaches = {name: optic_reach_m(name, speed_gbps, ways) for name in wide_enough}
    fitting = {name: reach for name, reach in reaches.items() if reach is not None and reach >= length_m}
    return tuple(sorted(fitting, key=lambda name: (fitting[name], name)))


def fec_of(medium: str | None, speed_gbps: int, lane_gbps: float) -> str:
    """``rs`` or ``none``, as in IEEE 802.3: RS-FEC from 25G lanes up, but none for 100GBASE-LR4 and at 10G or less.

    RS-544 on PAM4 lanes, RS-528 on NRZ: each OS chooses by the lane rate (clauses 91, 119, 134).
    """
    if lane_gbps < 25 or (medium == "LR4" and speed_gbps == 100):
        return "none"
    return "rs"


NRZ_LANE_GBPS = 25


def corrects_itself(medium: str | None, speed_gbps: int, ways: int) -> bool:
    """Has the far module of such a leg error correction of its own, so that a port of NRZ lanes runs without any?

    100GBASE-DR, a leg of 400G-DR4: NVIDIA ConnectX-7 firmware release notes v28.40.1000, Changes and New Feature
    History, 28.39.2048, table by byte 192: 0x25, 100GBASE-DR: no FEC, before RS FEC.
    """
    return (medium, speed_gbps, ways) == ("DR4", 100, 4)

"""Headroom of Arista's ASICs, as SONiC's tables for Arista's own switches have it; no formula is published.

sonic-net/sonic-buildimage at 086b03bd, ``device/arista``, pg_profile_lookup.ini of the models named. Of Tomahawk 4 only
figures without a cable's length are published (Intel Gaudi, "Expected Switch Configuration": 64,000 bytes on a 7060DX4,
165,100 on a 7060PX5), so it has none here.
"""

from types import MappingProxyType

from nornir_tasks.design.model.headroom import CableFacts, Table

_TABLE = "sonic-buildimage 086b03bd, device/arista, pg_profile_lookup.ini of {}"
_OF_O128 = (
    (40, 445_770, 18_796),
    (60, 475_136, 18_796),
    (150, 611_328, 18_796),
)

TOMAHAWK5 = Table.of(
    {
        100: (*_OF_O128, (500, 1_136_396, 8_636)),
        200: ((40, 300_990, 18_796), (300, 452_374, 8_636)),
        400: (*_OF_O128, (300, 839_216, 8_636), (500, 1_136_396, 8_636)),
        800: ((5, 724_662, 8_636), (40, 833_536, 8_636), (300, 1_621_536, 8_636)),
    },
    254,
    _TABLE.format("Arista-7060X6-64PE-B-O128, -P32O64 and -P32V128 and 7060X6-64PE-256x200G"),
)
"""Of several tables the greater figure, but for O128S2 and the 7060X6-16PE, which give every length that of 150 m."""

JERICHO2 = Table.of(
    {
        40: ((2000, 188_416, 0), (80_000, 5_369_856, 0), (120_000, 8_036_352, 0)),
        100: ((2000, 401_408, 0), (80_000, 13_357_056, 0), (120_000, 20_013_056, 0)),
        400: ((2000, 1_495_040, 0), (80_000, 53_305_344, 0), (120_000, 79_953_920, 0)),
    },
    4096,
    _TABLE.format("Arista-7280DR3A-36"),
)
"""In the external memory, whose buffers are of 4096 bytes (all its figures are multiples)."""

TRIDENT3 = Table.of(
    dict.fromkeys((10, 50, 100), ((300, 160_000, 4608),)),
    256,
    _TABLE.format("Arista-7050CX3-32S-C28S4"),
)
"""Both figures are multiples of 256."""

_OWN_M = 100
_OWN = (
    "no source says what EOS' own headroom is made for; 100 m, as Cumulus Linux and NX-OS have it, and Juniper for "
    "QFX switches of the same maker's ASICs (cable-length, Congestion Notification), stand in"
)
_NO_FIGURES = "no source has headroom of this ASIC by the length of its cables"

BY_ASIC = MappingProxyType(
    {
        "tomahawk4": CableFacts(_OWN_M, _OWN, gap=_NO_FIGURES),
        "tomahawk5": CableFacts(_OWN_M, _OWN, TOMAHAWK5, "bytes"),
        "jericho2": CableFacts(_OWN_M, _OWN, JERICHO2, gap="no source shows by which lines EOS sets its headroom"),
        "trident3": CableFacts(_OWN_M, _OWN, TRIDENT3, "bytes"),
        "trident3x2": CableFacts(_OWN_M, _OWN, gap=_NO_FIGURES),
    }
)

"""Headroom of NVIDIA Spectrum by generation: a formula for Spectrum-4, published tables for the ones before.

Cumulus Linux calculates its own buffers from the cable's length; these figures say whether they fit. Sources:
sonic-net/sonic-buildimage at 086b03bd (``platform/mellanox/asic_table.j2``; ``device/mellanox``, pg_profile_lookup.ini
of the model named) and sonic-net/sonic-swss at e6b0c5b5 (``cfgmgr/buffer_headroom_mellanox.lua``). The formula
reproduces the table of the SN5600 and needs much more than those of SN2201, SN3700 and SN4700: these follow an older
form of it, so that their tables count, and no length beyond them.
"""

from fractions import Fraction
from types import MappingProxyType

from nornir_tasks.design.model.headroom import KIB, CableFacts, Formula, Table

_TABLE = "sonic-buildimage 086b03bd, device/mellanox, pg_profile_lookup.ini of {}"

SPECTRUM4 = Formula(
    cell_bytes=192,
    pipeline_bytes=19 * KIB,
    mac_phy_bytes=Fraction(8, 10) * KIB,
    tile_ns=120,
    source="sonic-swss e6b0c5b5, cfgmgr/buffer_headroom_mellanox.lua, with the constants of MELLANOX-SPECTRUM-4 "
    "(sonic-buildimage 086b03bd, platform/mellanox/asic_table.j2)",
)

SPECTRUM1 = Table.of(
    {
        1: ((40, 29_696, 19_456), (300, 29_696, 26_624)),
        10: ((40, 29_696, 19_456), (300, 36_864, 19_456)),
        25: ((5, 29_696, 19_456), (40, 31_744, 19_456), (300, 48_128, 19_456)),
        40: ((5, 29_696, 19_456), (40, 32_768, 19_456), (300, 59_392, 19_456)),
        50: ((5, 29_696, 19_456), (40, 33_792, 19_456), (300, 66_560, 19_456)),
        100: ((5, 30_720, 19_456), (40, 38_912, 19_456), (300, 104_448, 19_456)),
    },
    96,
    _TABLE.format("ACS-SN2201"),
)

_OF_144_BYTES = {
    10: ((5, 32_768, 19_456), (40, 33_792, 19_456), (300, 40_960, 19_456)),
    25: ((5, 32_768, 19_456), (40, 35_840, 19_456), (300, 54_272, 19_456)),
    40: ((5, 33_792, 19_456), (40, 37_888, 19_456), (300, 66_560, 19_456)),
    50: ((5, 33_792, 19_456), (40, 38_912, 19_456), (300, 75_776, 19_456)),
    100: ((5, 33_792, 19_456), (40, 44_032, 19_456), (300, 117_760, 19_456)),
    200: ((5, 35_840, 19_456), (40, 55_296, 19_456), (300, 203_776, 19_456)),
}
"""ACS-MSN3700 and ACS-MSN4700 have the same rows for these speeds."""

SPECTRUM2 = Table.of(_OF_144_BYTES, 144, _TABLE.format("ACS-MSN3700"))

SPECTRUM3 = Table.of(
    {
        **_OF_144_BYTES,
        100: ((5, 59_392, 19_456), (40, 66_560, 19_456), (300, 120_832, 19_456)),
        200: ((5, 66_560, 19_456), (40, 80_896, 19_456), (300, 203_776, 19_456)),
        400: ((5, 115_712, 47_104), (40, 144_384, 47_104), (300, 373_760, 47_104)),
    },
    144,
    _TABLE.format("ACS-MSN4700 and Mellanox-SN4700-C128"),
)
"""Of both tables the greater figure. Beyond 300 m those that reach farther fall with length (C128 has less for 2000 m
of 100G than for 1500 m), so that none is used."""

_OWN = "docs514 RDMA-over-Converged-Ethernet-RoCE.md, `nv show qos roce`: cable-length 100"

BY_ASIC = MappingProxyType(
    {
        asic: CableFacts(own_m=100, own_source=_OWN, source=source, line="length")
        for asic, source in (
            ("spectrum1", SPECTRUM1),
            ("spectrum2", SPECTRUM2),
            ("spectrum3", SPECTRUM3),
            ("spectrum4", SPECTRUM4),
        )
    }
)

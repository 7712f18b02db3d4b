"""Words of ``fec`` on NX-OS. RS-FEC has two at 25G, for the IEEE's code and for the consortium's.

Cisco Nexus 9000 Interfaces Configuration Guide 10.6(x), Overview ("fec ?", document 52102703121): "rs-fec  CL91(100G)
or Consortium 1.5 (25/50G)", "rs-ieee  RS FEC IEEE (25G)"; "The Cisco Nexus 9300-FX series supports RS-FEC. ... Enable
the RS FEC IEEE (25G) using the fec rs-ieee command".
"""

from collections.abc import Mapping
from typing import Literal

from nornir_tasks.design.config.interfaces import Layer1

Fec = Literal["rs", "fc", "none"]

_WORDS: Mapping[Fec, str] = {"rs": "rs-fec", "fc": "fc-fec", "none": "off"}
_IEEE = "rs-ieee"
_IEEE_GBPS = 25
_IEEE_ASICS = frozenset({"cloudscale-fx"})
"""ASICs whose 25G ports, which go to other switches, get the IEEE's code, as EOS and Cumulus Linux have it there. The
25G ports of the others go to hosts alone; they have ``rs-fec``."""

WORDS = (*_WORDS.values(), _IEEE)
"""All that are rendered."""


def fec_word(layer1: Layer1, asic: str) -> str:
    """The word for the code of a port, which has one."""
    if layer1.fec is None:
        raise ValueError("no code is set")
    return _IEEE if layer1.fec == "rs" and _has_ieee(layer1.speed_gbps, asic) else _WORDS[layer1.fec]


def fec_of(word: str, speed_gbps: int, asic: str) -> Fec | None:
    """The code that a word stands for at this speed; None: another one than we configure there."""
    codes = (fec for fec in _WORDS if fec_word(Layer1(speed_gbps, None, fec, negotiate=True), asic) == word)
    return next(codes, None)


def _has_ieee(speed_gbps: int, asic: str) -> bool:
    return speed_gbps == _IEEE_GBPS and asic in _IEEE_ASICS

"""Words of ``fec`` on NX-OS. RS-FEC has two at 25G, for the IEEE's code and for the consortium's.

At 25G a port gets the IEEE's code (``rs-ieee``), as EOS and Cumulus Linux have it there, and a host's NIC too that
is set to ``RS``: the two codes do not understand each other, and such a link stays down with light on it.

Cisco Nexus 9000 Interfaces Configuration Guide 10.6(x), Overview ("fec ?", document 52102703121): "rs-fec  CL91(100G)
or Consortium 1.5 (25/50G)", "rs-ieee  RS FEC IEEE (25G)"; "Enable the RS FEC IEEE (25G) using the fec rs-ieee command
on Cisco Nexus 9000 switches", since 7.0(3)I7(3). The EX generation lacks the word (CSCvy03375); no ASIC here is of it.
"""

from collections.abc import Mapping
from typing import Literal

from nornir_tasks.design.config.interfaces import Layer1

Fec = Literal["rs", "fc", "none"]

_WORDS: Mapping[Fec, str] = {"rs": "rs-fec", "fc": "fc-fec", "none": "off"}
_IEEE = "rs-ieee"
_IEEE_GBPS = 25

WORDS = (*_WORDS.values(), _IEEE)
"""All that are rendered."""


def fec_word(layer1: Layer1) -> str:
    """The word for the code of a port, which has one."""
    if layer1.fec is None:
        raise ValueError("no code is set")
    return _IEEE if layer1.fec == "rs" and layer1.speed_gbps == _IEEE_GBPS else _WORDS[layer1.fec]


def fec_of(word: str, speed_gbps: int) -> Fec | None:
    """The code that a word stands for at this speed; None: another one than we configure there."""
    codes = (fec for fec in _WORDS if fec_word(Layer1(speed_gbps, None, fec, negotiate=True)) == word)
    return next(codes, None)

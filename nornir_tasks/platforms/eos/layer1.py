"""Layer 1 of an EOS port: the lines for speed, lanes, negotiation and error correction, written and parsed.

A speed that begins with ``auto`` is negotiated, with link training, at this rate only; otherwise the rate is forced.
Words: pyavd 6.4.0 schema, ethernet_interfaces[].speed and .error_correction_encoding.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from nornir_tasks.design.config.interfaces import Layer1
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.lines import Row, row

_MAX_UNSAID_GBPS = 25
"""Up to this rate a port has one lane, which its speed word leaves out: ``25g``, but ``50g-1``."""

_FEC: Mapping[Literal["rs", "fc", "none"] | None, str] = {
    "rs": "error-correction encoding reed-solomon",
    "fc": "error-correction encoding fire-code",
    "none": "no error-correction encoding",
}
_FEC_OF = {line: word for word, line in _FEC.items()}


def speed_word(layer1: Layer1) -> str:
    """``200g-4``, ``25g``; with negotiation ``auto 200g-4``."""
    unsaid = layer1.lanes in (None, 1) and layer1.speed_gbps <= _MAX_UNSAID_GBPS
    word = f"{layer1.speed_gbps}g" if unsaid else f"{layer1.speed_gbps}g-{layer1.lanes}"
    return f"auto {word}" if layer1.negotiate else word


def fec_line(layer1: Layer1) -> str:
    """The whole line: no error correction is a ``no`` line."""
    return _FEC[layer1.fec]


def _rate(found: re.Match[str]) -> tuple[int, int, bool]:
    return int(found[2]), int(found[3] or 1), bool(found[1])


_DEFAULT_FEC = (r"(error-correction encoding) .*", r"default \1")

ROWS: tuple[Row, ...] = (
    row(r"speed (auto )?(\d+)g-([1248])", "rate", _rate, single="speed"),
    row(r"speed (auto )?(1|10|25)g()", "rate", _rate, single="speed"),
    # two encodings may stand side by side (pyavd eos__ethernet_interfaces)
    # batfish arista_interface_show_run_all: "default error-correction encoding"; "no" would turn it off for good
    *(row(line, "fec", lambda found: _FEC_OF[found[0]], negation=_DEFAULT_FEC) for line in _FEC_OF),
)


def read_layer1(values: dict[str, Any], lines: Iterable[ConfigTree]) -> tuple[Layer1 | None, list[ConfigTree]]:
    """Layer 1 from the fields of ROWS, and the lines left over. None if incomplete: EOS's defaults have no line."""
    own = [line for line in lines if re.match(r"speed |(?:no )?error-correction ", line.text)]
    if "rate" in values and "fec" in values and len(own) == 2:
        speed_gbps, lanes, negotiate = values["rate"]
        return Layer1(speed_gbps, lanes, values["fec"], negotiate), []
    return None, own

"""NVIDIA Cumulus VX in containerlab. Sources of each fact: tests/corpus/containerlab/exports.md."""

import re
from collections.abc import Iterable, Mapping

from nornir_tasks.platforms.containerlab import Image, VirtualPort, numbered

_WHOLE = re.compile(r"swp(\d+)")


def _port(number: int) -> VirtualPort:
    return VirtualPort(f"swp{number}", f"swp{number}")


def _ports(ports: Iterable[str]) -> Mapping[str, VirtualPort]:
    return numbered(ports, _WHOLE, _port)


def _air(release: str) -> str:
    """``cumulus-vx-5.16.1``; of a release without its third number the first of its kind."""
    return f"cumulus-vx-{release if release.count('.') > 1 else release + '.0'}"


IMAGE = Image(
    kind="nvidia_cumulusvx",
    reference="vrnetlab/nvidia_cumulusvx:5.16.1",
    ports=_ports,
    port_block=r"interface / (?P<port>swp\d+(?:s\d+)?)(?:\.\d+)?",
    startup=None,
    air=_air,
)

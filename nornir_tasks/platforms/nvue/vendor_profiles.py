"""Profiles of NVIDIA's own that a switch may run: each sets what we configure, and more that we have no words for.

Short names of sources as in capabilities.py. A push beside one would leave a mixture of two configurations, so it is
refused; a profile is not taken apart here.
"""

from collections.abc import Iterator

from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.nvue.tree import key_and_value
from nornir_tasks.platforms.platform import Obstacle

_QOS_PROFILES = ("lossy-multi-tc", "dci-1", "dci-custom")
"""Modes of ``qos roce`` that are profiles (schema v5_18; docs518 at 364b02c0, RoCE page).

The Lossy Multi TC Profile, from 5.14 on, turns on packet trimming; of dci-custom there is no page. Of the others
``lossless-single-ipool`` is only another buffer pool, and our mode replaces it.
"""


def vendor_profiles(running: ConfigTree) -> tuple[Obstacle, ...]:
    """The profiles in a whole running configuration, each with what ends it."""
    return (*_spectrum_x(running), *_roce(running))


def _spectrum_x(running: ConfigTree) -> Iterator[Obstacle]:
    """docs518 at 0884ff6a, Profile-Based-Configuration.md: it sets splits, adaptive routing, telemetry, QoS and PFC."""
    section = running.get("system", "do-spx") or ConfigTree()
    names = sorted({name for key in ("profile", "active-profile") for name in _names(section, key)})
    if names:
        yield Obstacle(
            f"a Spectrum-X profile configures this switch: system do-spx profile {', '.join(names)}",
            "no profile: it sets splits, adaptive routing, QoS and PFC beside what the intent says",
            "bring back the configuration from before the profile (nv config replace), then plan again",
        )


def _names(section: ConfigTree, key: str) -> list[str]:
    entries = section.get(key) or ConfigTree()
    return [key_and_value(line)[0] for line in entries.children]


def _roce(running: ConfigTree) -> Iterator[Obstacle]:
    section = running.get("qos", "roce") or ConfigTree()
    modes = [each for line in section.children for each in _QOS_PROFILES if line == f'mode: "{each}"']
    for mode in modes:
        yield Obstacle(
            f"RoCE runs in NVIDIA's profile {mode}, which the intent has no words for",
            "RoCE off, or in the mode lossless or lossy",
            f"nv unset qos roce mode {mode}, and what else its profile set; then plan again",
        )

"""Settings that a NIC keeps in its firmware: what the variables of role nic_firmware want, and their mistakes.

Pure, standard library only (it runs on hosts, Python 3.9). Names and numbers are those of mlxconfig and mstconfig:
tests/recorded/mlxconfig; ROCE_CC_LEGACY_DCQCN, ROCE_ADAPTIVE_ROUTING_EN and INTERNAL_CPU_OFFLOAD_ENGINE from published
outputs that its SOURCES.yml names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_firmware import POLICY_SETTINGS
except ImportError:  # in a test
    from roce_firmware import POLICY_SETTINGS

SPECTRUM_X = {
    "ROCE_ADAPTIVE_ROUTING_EN": 1,
    "USER_PROGRAMMABLE_CC": 1,
    "TX_SCHEDULER_LOCALITY_MODE": 2,
    "ROCE_CC_STEERING_EXT": 2,
    "MULTIPATH_DSCP": 0,
}
"""On what NVIDIA's published profiles RA2.0 to RA3.0 agree, beside links and functions
(tests/corpus/nics/spectrum_x.tsv). They differ in ROCE_RTT_RESP_DSCP, which is therefore left alone."""
OF_PORT = (*POLICY_SETTINGS, "LINK_TYPE")
"""Settings of a port, named with its ``_P1``; all others are of the PCI function or the card."""
WHERE_THE_CARD_HAS_IT = ("LINK_TYPE", "INTERNAL_CPU_OFFLOAD_ENGINE")
"""A card of one kind of link has no LINK_TYPE, and one without processors of its own no mode for them."""
BY_POWER_CYCLE = ("INTERNAL_CPU_OFFLOAD_ENGINE",)
"""In effect only after power was away; all others after a reset of the card or a reboot."""
NAMES = (
    *POLICY_SETTINGS,
    "LINK_TYPE",
    "ROCE_CC_LEGACY_DCQCN",
    "PCI_WR_ORDERING",
    "ATS_ENABLED",
    "SRIOV_EN",
    "NUM_OF_VFS",
    "ROCE_ADAPTIVE_ROUTING_EN",
    "INTERNAL_CPU_OFFLOAD_ENGINE",
    *(name for name in SPECTRUM_X if name != "ROCE_ADAPTIVE_ROUTING_EN"),
)
"""All settings that this role can own, without the ``_P1`` of a port."""
ALGORITHMS = {"dcqcn": 1, "programmable": 0}
ORDERINGS = {"per_mkey": 0, "force_relax": 1}
ETHERNET, NIC_MODE = 2, 1
MOST_VFS = 1024
_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True)
class Want:
    """One setting of a NIC as a variable wants it."""

    name: str
    value: int
    variable: str
    taken_back: bool = False
    """The variable asks for it no more, and the value is the one found before it did."""

    @property
    def with_reason(self) -> str:
        """The value, and the variable that it is for."""
        return f"{self.value} ({'as it was before ' if self.taken_back else ''}{self.variable})"

    @property
    def if_there(self) -> bool:
        """Is a card without this setting as wanted?"""
        return self.taken_back or self.name in WHERE_THE_CARD_HAS_IT

    @property
    def by_power_cycle(self) -> bool:
        return self.name in BY_POWER_CYCLE

    def on_port(self, port: int) -> str:
        """The firmware's own name of it."""
        return of_port(self.name, port)


def of_port(name: str, port: int) -> str:
    """A setting's name as the firmware spells it for this port."""
    return f"{name}_P{port}" if name in OF_PORT else name


def wanted_settings(values: Mapping[str, Any]) -> tuple[Want, ...]:
    """Everything that the role's variables (without its prefix) want; what they leave alone is not in it."""
    found: dict[str, tuple[int, str]] = {}
    if values["link_type"] == "eth":
        found["LINK_TYPE"] = (ETHERNET, "link_type")
    found.update(_of_policy(values))
    if values["cc_algorithm"] != "keep":
        found["ROCE_CC_LEGACY_DCQCN"] = (ALGORITHMS[values["cc_algorithm"]], "cc_algorithm")
    if values["pci_wr_ordering"] != "keep":
        found["PCI_WR_ORDERING"] = (ORDERINGS[values["pci_wr_ordering"]], "pci_wr_ordering")
    if values["ats"] != "keep":
        found["ATS_ENABLED"] = (int(values["ats"] == "on"), "ats")
    if values["vfs"] >= 0:
        found["SRIOV_EN"] = (int(values["vfs"] > 0), "vfs")
        found["NUM_OF_VFS"] = (values["vfs"], "vfs")
    if values["spectrum_x"]:
        found.update({name: (value, "spectrum_x") for name, value in SPECTRUM_X.items()})
    elif values["reorder"]:
        found["ROCE_ADAPTIVE_ROUTING_EN"] = (1, "reorder")
    if values["mode"] == "nic":
        found["INTERNAL_CPU_OFFLOAD_ENGINE"] = (NIC_MODE, "mode")
    return tuple(Want(name, value, f"nic_firmware_{variable}") for name, (value, variable) in found.items())


def _of_policy(values: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    if values["policy"]:
        quiet = ("DCBX_WILLING", "LLDP_NB_DCBX", "LLDP_NB_RX_MODE", "LLDP_NB_TX_MODE")
        found.update(dict.fromkeys(quiet, (0, "policy")))
        found["ROCE_CC_PRIO_MASK"] = (1 << values["priority"] if values["ecn"] else 0, "policy")
        if values["ecn"]:
            found["CNP_DSCP"] = (values["cnp_dscp"], "policy")
            found["CNP_802P_PRIO"] = (values["cnp_priority"], "policy")
    return found


def find_problems(values: Mapping[str, Any]) -> list[str]:
    """Every mistake in the variables, as `variable: value; remedy`; empty if there is none."""
    problems = []
    if values["also_owned"]:
        problems.append(
            "roce_qos_firmware: true: this role alone owns the firmware's settings. "
            "Remove it, and set nic_firmware_policy: true and nic_firmware_change_allowed: true"
        )
    if values["spectrum_x"] and values["cc_algorithm"] == "dcqcn":
        problems.append(
            "nic_firmware_cc_algorithm: dcqcn: that one alone, where the intent's congestion is spectrum_x. "
            "Write programmable or keep, or change the intent"
        )
    if not -1 <= values["vfs"] <= MOST_VFS:
        problems.append(f"nic_firmware_vfs: {values['vfs']}. Write 0 to {MOST_VFS}, or -1 to leave them alone")
    for name, most in (("priority", 7), ("cnp_priority", 7), ("cnp_dscp", 63)):
        if values[name] not in range(most + 1):
            problems.append(f"nic_firmware_{name}: {values[name]}. Write 0 to {most}")
    problems += _floor_problems(values["floors"])
    return problems


def _floor_problems(floors: list[str]) -> list[str]:
    problems, series = [], [each.partition(".")[0] for each in floors]
    for each in floors:
        if not _VERSION.fullmatch(each):
            what = f"nic_firmware_floors: {each!r} is no version"
            problems.append(f"{what}. Write it as the NIC shows it (28.39.3560; cat /sys/class/infiniband/*/fw_ver)")
        elif series.count(each.partition(".")[0]) > 1:
            problems.append(f"nic_firmware_floors: {each} is not the only one of its series. Keep one of them")
    return problems


def below_floor(version: str, floors: list[str]) -> str | None:
    """The floor that this version is below, None if it is not. The first number is the model's: 28 is ConnectX-7."""
    own = _numbers(version)
    for floor in floors:
        wanted = _numbers(floor)
        if wanted[0] == own[0] and own < wanted:
            return floor
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split("."))

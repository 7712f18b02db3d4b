"""What the stand-ins remember of a NIC, in one JSON file each under ``$GPUFABRIC_STANDIN/nics``.

``driver`` decides how it behaves: ``mlx5_core`` as Linux's en_dcbnl.c does, ``memory`` as the driver that only
remembers, against which dcb was recorded, ``virtio_net`` has no DCB at all. Written for the stand-ins only.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import sys
from pathlib import Path

NOT_RECORDED = 64
FACTORY_FIRMWARE = {
    "ROCE_CC_PRIO_MASK": "255",
    "CNP_802P_PRIO": "6",
    "CNP_DSCP": "48",
    "LLDP_NB_DCBX": "False(0)",
    "LLDP_NB_RX_MODE": "OFF(0)",
    "LLDP_NB_TX_MODE": "OFF(0)",
    "DCBX_IEEE": "True(1)",
    "DCBX_CEE": "True(1)",
    "DCBX_WILLING": "True(1)",
}
"""Names without port, as tests/recorded/mlxconfig/query.txt has them."""
OF_THE_FUNCTION = {
    "PCI_WR_ORDERING": "per_mkey(0)",
    "SRIOV_EN": "True(1)",
    "NUM_OF_VFS": "16",
    "ROCE_ADAPTIVE_ROUTING_EN": "False(0)",
    "ROCE_CC_LEGACY_DCQCN": "False(0)",
    "ATS_ENABLED": "True(1)",
}
"""More rows, named without a port: tests/recorded/mlxconfig/query_bluefield3.txt; ROCE_CC_LEGACY_DCQCN as in a
published query of a ConnectX-6 Dx (document 40929553731). No published table has ATS_ENABLED: spelt like its like."""
PROGRAMMABLE = {
    "USER_PROGRAMMABLE_CC": "False(0)",
    "TX_SCHEDULER_LOCALITY_MODE": "0",
    "ROCE_CC_STEERING_EXT": "0",
    "MULTIPATH_DSCP": "1",
}
"""Names of tests/corpus/nics/spectrum_x.tsv; no published table at hand says what the tool calls their values."""
CARDS = {
    "plain": {},
    "connectx7": {**OF_THE_FUNCTION, "LINK_TYPE": "ETH(2)"},
    "bluefield3": {
        **OF_THE_FUNCTION,
        **PROGRAMMABLE,
        "LINK_TYPE": "ETH(2)",
        "INTERNAL_CPU_OFFLOAD_ENGINE": "ENABLED(0)",
    },
}
"""Rows that a card has beyond FACTORY_FIRMWARE: composites of several recordings, no one card printed all of this."""
ROCE_ACCL = {
    "roce_adp_retrans_field_select": 1,
    "roce_tx_window_field_select": 1,
    "roce_slow_restart_field_select": 1,
    "roce_slow_restart_idle_field_select": 1,
    "min_ack_timeout_limit_disabled_field_select": 1,
    "adaptive_routing_forced_en_field_select": 1,
    "selective_repeat_forced_en_field_select": 1,
    "dc_half_handshake_en_field_select": 0,
    "ack_dscp_force_field_select": 0,
    "roce_adp_retrans_en": 1,
    "roce_tx_window_en": 0,
    "roce_slow_restart_en": 1,
    "roce_slow_restart_idle_en": 0,
    "min_ack_timeout_limit_disabled": 0,
    "adaptive_routing_forced_en": 0,
    "selective_repeat_forced_en": 0,
    "dc_half_handshake_en": 0,
    "ack_dscp_force": 0,
    "ack_dscp": 0,
}
"""The register as tests/recorded/mlxreg/roce_accl.txt shows it, before adaptive routing was forced on."""
KEPT = (
    "pci",
    "rdma_device",
    "bond",
    "mtu_bytes",
    "vf",
    "inbox",
    "debugfs",
    "locked_down",
    "active_mtu",
    "refuses",
    "factory_firmware",
    "fw_version",
)
"""What a NIC keeps when its driver is loaded anew."""


def folder() -> Path:
    """The state folder. Exits when the environment does not name one."""
    named = os.environ.get("GPUFABRIC_STANDIN", "")
    if not named:
        sys.exit("stand-in: GPUFABRIC_STANDIN does not name a state folder")
    return Path(named)


def not_recorded(*words: str) -> None:
    """Refuse what nobody saw the real tool do."""
    print("stand-in: not recorded: " + " ".join(words), file=sys.stderr)
    sys.exit(NOT_RECORDED)


def log_call(tool: str, words: list[str]) -> None:
    """Keep the call, so that a test can say what was run and what was not."""
    with (folder() / "calls.log").open("a", encoding="utf-8") as log:
        log.write(" ".join([tool, *words]) + "\n")


def factory(driver: str, **given: object) -> dict:
    """A NIC as it comes: mlx5 as in tests/recorded/mlnx_qos/factory.txt, the remembering driver as in dcb/."""
    mlx5 = driver == "mlx5_core"
    firmware = dict(given.get("factory_firmware") or FACTORY_FIRMWARE)
    nic = {
        "driver": driver,
        "pci": "0000:00:10.0",
        "dcbx": ["host", "cee", "ieee"] if mlx5 else ["host", "ieee"],
        "app": [],
        "default_priority": [],
        "pfc": [False] * 8,
        "delay": 7 if mlx5 else 0,
        "prio_tc": [1, 0, 2, 3, 4, 5, 6, 7] if mlx5 else [0] * 8,
        "tc_tsa": ["vendor" if mlx5 else "strict"] * 8,
        "tc_bw": [0] * 8,
        "buffer_bytes": [524160 if mlx5 else 262144, 0, 0, 0, 0, 0, 0, 0],
        "priority_buffer": [0] * 8,
        "total_bytes": 524160 if mlx5 else 524288,
        "pause": [True, True],
        "active_mtu": 4096,
        "link_flaps": 0,
        "refuses": [],
        "inbox": False,
        "debugfs": True,
        "locked_down": False,
        "fw_version": "28.40.1000",
        "bond": "",
        "roce_accl": dict(ROCE_ACCL),
        "factory_firmware": firmware,
        "firmware": dict(firmware),
        "firmware_next": dict(firmware),
    }
    nic.update(given)
    return nic


def read_nic(path: Path) -> dict:
    """A NIC of a state folder. Whoever changes one has its file locked meanwhile, and half of it on disk."""
    with path.open(encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        return json.load(file)


@contextlib.contextmanager
def changed(path: Path):
    """A NIC of a state folder, to be changed in place."""
    with path.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        state = json.load(file)
        try:
            yield state
        finally:  # what was set before a refusal stays set
            file.seek(0)
            file.truncate()
            json.dump(state, file, indent=1)


class Nic:
    """One NIC of the state folder; the driver's half of what the tools ask for. Errors are raised as OSError."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = folder() / "nics" / f"{name}.json"
        self.state: dict = {}

    @contextlib.contextmanager
    def opened(self):
        """Load, and save what was changed. Raises OSError ENODEV where there is no such interface."""
        if not self.path.is_file():
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        with changed(self.path) as self.state:
            yield self

    def need_dcb(self) -> None:
        if self.state["driver"] not in ("mlx5_core", "memory"):
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    @property
    def mlx5(self) -> bool:
        return self.state["driver"] == "mlx5_core"

    @property
    def trusts_dscp(self) -> bool:
        return bool(self.state["app"])

    def set_app(self, dscp: int, priority: int) -> None:
        """mlx5 takes its old entry of the code point away itself; a generic table only refuses what it has."""
        table = self.state["app"]
        if self.mlx5:
            if "host" not in self.state["dcbx"] and not table:
                not_recorded("a DSCP entry while the firmware owns DCBX")
            table[:] = [each for each in table if each[0] != dscp]
        elif [dscp, priority] in table:
            raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))
        table.insert(0, [dscp, priority])

    def delete_app(self, dscp: int, priority: int) -> None:
        if [dscp, priority] not in self.state["app"]:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        self.state["app"].remove([dscp, priority])

    def set_pfc(self, pfc: list, delay: int) -> bool:
        """False if the driver refused. mlx5 toggles the link on a change, and ignores a delay of 0."""
        if "pfc" in self.state["refuses"]:
            return False
        if self.mlx5 and pfc != self.state["pfc"]:
            self.state["link_flaps"] += 1
        self.state["pfc"] = pfc
        if delay or not self.mlx5:
            self.state["delay"] = delay
        return True

    def set_ets(self, prio_tc: list, tc_tsa: list, tc_bw: list) -> bool:
        """False if the driver refused: the shares of the ets classes are 100 in all, unless there is none."""
        shares = [tc_bw[tc] for tc in range(8) if tc_tsa[tc] == "ets"]
        if "ets" in self.state["refuses"] or (shares and sum(shares) != 100):
            return False
        self.state.update(prio_tc=prio_tc, tc_tsa=tc_tsa, tc_bw=tc_bw)
        return True

    def set_buffer(self, priority_buffer: list, buffer_bytes: list) -> bool:
        if "buffer" in self.state["refuses"] or sum(buffer_bytes) > self.state["total_bytes"]:
            return False
        self.state.update(priority_buffer=priority_buffer, buffer_bytes=buffer_bytes)
        return True


def write_nic(state_folder: Path, name: str, nic: dict) -> None:
    """Put a NIC into a state folder (for those who prepare one)."""
    path = state_folder / "nics" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(nic, indent=1), encoding="utf-8")

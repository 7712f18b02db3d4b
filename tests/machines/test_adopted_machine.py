"""A lab machine whose ports others bonded: planned, adopted now or at the next boot, undone where nobody comes in.

The files are cloud-init's (canonical/cloud-init, tests/unittests/net/artifacts/openstack_net_config_v1, commit
ec5aed09c506adfaae4873c48cf01abfcb5493bf), with names of this machine's ports.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from fronted import alone
from lab_machines import MachineLab, PlaybookRun

pytestmark = pytest.mark.long  # a boot, five runs of one role, three reboots of an emulated machine

HOSTS, SITE = 1, alone
HOST = "storage-1"
UNDO_S, AFTER_BOOT_S, WITHIN_S = 600, 240, 900
"""From a run on, which takes minutes on an emulated machine; from a boot on; how long that and one boot more take."""
FILES = {
    "10-cloud-init-bond0.netdev": "[NetDev]\nKind=bond\nName=bond0\n[Bond]\nMode=active-backup\n",
    "10-cloud-init-bond0.network": "[Match]\nName=bond0\n[Network]\nAddress=10.9.9.4/24\nConfigureWithoutCarrier=yes\n",
    "10-cloud-init-ens24.network": "[Match]\nName=ens24\n[Network]\nBond=bond0\n",
    "10-cloud-init-ens25.network": "[Match]\nName=ens25\n[Network]\nBond=bond0\n",
}
FOLDER = "/etc/systemd/network"
LOOK = "ip -br link | awk '{print $1}' | cut -d @ -f 1; cat /proc/net/bonding/*; ip -br -4 address"


def provisioned(lab: MachineLab) -> str:
    """Bond the two ports as somebody else would; what is there then."""
    for name, text in FILES.items():
        lab.ssh(HOST, f"cat >{FOLDER}/{name} <<'EOF'\n{text}EOF")
    lab.ssh(HOST, f"chown -R systemd-network {FOLDER}; networkctl reload")
    until(lab, lambda: "10.9.9.4/24" in lab.ssh(HOST, LOOK) and lab.ssh(HOST, LOOK).count("Slave Interface") == 2, 120)
    return lab.ssh(HOST, f"ls {FOLDER}; cat {FOLDER}/*")


def until(lab: MachineLab, is_so: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, lab.ssh(HOST, f"{LOOK}; journalctl -t gpufabric --no-pager", check=False)
        time.sleep(3)


def adopt(lab: MachineLab, how: str) -> PlaybookRun:
    undo_s = AFTER_BOOT_S if how == "boot" else UNDO_S
    words = ("-e", f"gpufabric_adopt_network={how}", "-e", f"gpufabric_adopt_undo_s={undo_s}")
    return lab.playbook(*words, playbook="tests/machines/adopt.yml")


class Prober:
    """Logs in every five seconds; the longest time in which nobody could."""

    def __init__(self, lab: MachineLab) -> None:
        self.lab, self.came, self.over = lab, [time.monotonic()], threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.over.wait(5):
            if self.lab.ssh(HOST, "echo in", check=False).strip() == "in":
                self.came.append(time.monotonic())

    def __enter__(self) -> Prober:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def gap_s(self) -> float:
        return max(later - earlier for earlier, later in zip(self.came, self.came[1:], strict=False))


def test_others_bond_is_planned_and_adopted_under_the_timer_and_then_nothing_changes(
    bare: MachineLab, figure: Callable[[str], None]
) -> None:
    before = provisioned(bare)
    plan = adopt(bare, "plan")
    assert (plan.code, plan.changed(HOST)) == (0, [])
    assert "10-cloud-init-bond0.netdev" in plan.output(HOST)
    assert "goes now: interface bond0" in plan.output(HOST)
    assert bare.ssh(HOST, f"ls {FOLDER}; cat {FOLDER}/*") == before
    with Prober(bare) as prober:
        first = adopt(bare, "apply")
    assert (first.code, first.failures(HOST)) == (0, [])
    found = bare.ssh(HOST, LOOK)
    assert "bond0" not in found
    assert "10.9.9.4" not in found
    assert found.count("Slave Interface") == 2
    second = adopt(bare, "apply")
    assert (second.code, second.changed(HOST)) == (0, [])
    figure(f"logins every 5 s while a bond is adopted: longest gap {prober.gap_s():.1f} s, undone after {UNDO_S} s")
    assert prober.gap_s() < UNDO_S


def test_at_the_next_boot_it_comes_and_goes_again_unless_a_run_comes_in(bare: MachineLab) -> None:
    before = provisioned(bare)
    assert adopt(bare, "boot").failures(HOST) == []
    assert "bond0" in bare.ssh(HOST, LOOK)
    bare.reboot(HOST)
    assert "bond0" not in bare.ssh(HOST, LOOK)
    adopted = bare.boot_id(HOST)
    until(bare, lambda: bare.ssh(HOST, "cat /proc/sys/kernel/random/boot_id", check=False).strip() != adopted, WITHIN_S)
    until(bare, lambda: bare.ssh(HOST, LOOK, check=False).count("Slave Interface") == 2, WITHIN_S)
    assert "bond0" in bare.ssh(HOST, LOOK)
    assert bare.ssh(HOST, f"ls {FOLDER}; cat {FOLDER}/*") == before
    assert adopt(bare, "boot").failures(HOST) == []
    bare.reboot(HOST)
    last = adopt(bare, "boot")
    stays = "gpufabric.host.bond_interfaces : A change that a boot brought in stays, as this connection came in"
    assert (last.code, last.changed(HOST)) == (0, [stays])
    time.sleep(AFTER_BOOT_S)
    assert "bond0" not in bare.ssh(HOST, LOOK)
    assert adopt(bare, "boot").changed(HOST) == []

"""What ``nornir lab up --hosts`` refuses, and what it finds out, before any machine starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nornir_tasks.errors import LabError
from nornir_tasks.lab import lock
from nornir_tasks.lab.lock import locked
from nornir_tasks.lab.machines import accelerator, image
from nornir_tasks.lab.machines.manager import Machines
from nornir_tasks.lab.machines.plan import Rail, machine_plan

NORNIR = Path(sys.executable).parent / "nornir"


def lab_up(
    hosts: int, tmp_path: Path, site: str = "lab-rails", *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NORNIR, "lab", "up", "--hosts", str(hosts), *words, "--site", site],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "GPUFABRIC_STATE": str(tmp_path), **environment},
    )


def test_missing_packages_are_named_in_one_line_with_the_command_that_brings_them(tmp_path: Path) -> None:
    done = lab_up(1, tmp_path, PATH=str(tmp_path))
    assert done.returncode == 10
    site, line = done.stderr.splitlines()
    assert site.startswith("site lab-rails: ")
    assert "qemu-system-x86" in line
    assert "sudo apt-get install -y qemu-system-x86 qemu-utils mmdebstrap" in line
    assert not list(tmp_path.glob("*/lab")), "something was started all the same"


def test_more_hosts_than_the_design_has_are_refused(tmp_path: Path) -> None:
    done = lab_up(5, tmp_path)
    assert done.returncode == 10
    assert "the design has fewer hosts" in done.stderr
    assert "at most 4" in done.stderr


def rail(name: str, pci: str | None, mac: str | None = None) -> Rail:
    return Rail(name, pci, mac, "10.168.0.0/31")


def test_a_rail_beyond_the_one_pci_bus_is_refused_with_the_places_there_are() -> None:
    with pytest.raises(LabError, match=r"0000:00:06\.0 to 0000:00:1f\.0"):
        machine_plan("gpu-1", 0, (rail("rail0", "0000:3b:00.0"),))


def test_two_rails_in_one_slot_are_refused() -> None:
    with pytest.raises(LabError, match="two NIC ports in one PCI slot"):
        machine_plan("gpu-1", 0, (rail("rail0", "0000:00:10.0"), rail("rail1", "0000:00:10.0")))


def test_a_rail_known_by_its_mac_gets_that_mac_and_a_slot_of_its_own() -> None:
    plan = machine_plan("gpu-1", 0, (rail("rail0", None, "0c:42:a1:00:00:12"), rail("rail1", "0000:00:06.0")))
    assert [(nic.name, nic.slot) for nic in plan.nics] == [("rail0", 7), ("rail1", 6), ("site", 4)]
    assert plan.nics[0].mac == "0c:42:a1:00:00:12"


def test_machines_have_macs_and_site_addresses_of_their_own() -> None:
    one, two = (machine_plan(f"gpu-{index + 1}", index, (rail("rail0", "0000:00:10.0"),)) for index in range(2))
    assert not {nic.mac for nic in one.nics} & {nic.mac for nic in two.nics}
    assert (one.site_address, two.site_address) == ("192.0.2.1/31", "192.0.2.3/31")


@pytest.mark.needs("qemu-system-x86_64")
def test_what_starts_no_guest_falls_back_to_tcg_once(tmp_path: Path) -> None:
    broken = tmp_path / "kernel"
    broken.write_bytes(b"not a kernel")
    first = accelerator.choose(broken, tmp_path)
    assert first.name == "tcg"
    assert first.reason
    broken.unlink()
    assert accelerator.choose(broken, tmp_path) == first


def test_any_change_of_the_recipe_is_another_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = image.host_recipe().hash
    for file in sorted(each for each in image.RECIPE.rglob("*") if each.is_file()):
        (tmp_path / "recipe" / file.relative_to(image.RECIPE)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "recipe" / file.relative_to(image.RECIPE)).write_bytes(file.read_bytes())
    monkeypatch.setattr(image, "RECIPE", tmp_path / "recipe")
    assert image.host_recipe().hash == before
    with (tmp_path / "recipe" / "packages.txt").open("a") as packages:
        packages.write("jq\n")
    assert image.host_recipe().hash != before


def test_who_comes_second_waits_and_says_for_whom(tmp_path: Path) -> None:
    output: list[str] = []
    order: list[str] = []

    def second() -> None:
        with locked(tmp_path / "lock", "another one does it already", output.append):
            order.append("second")

    with locked(tmp_path / "lock", "another one does it already", output.append):
        waiting = threading.Thread(target=second)
        waiting.start()
        waiting.join(1.2)
        order.append("first")
    waiting.join(10)
    assert order == ["first", "second"]
    (line,) = output
    assert re.fullmatch(
        rf"another one does it already \(process {os.getpid()}, since [\d:]+ UTC\); waiting for it", line
    )


def test_a_second_up_does_not_take_what_the_first_is_starting_for_a_dead_ones_leftovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "LOCK_TIMEOUT_S", 0.1)
    output: list[str] = []
    with locked(tmp_path / "machines.lock", "nobody", output.append), pytest.raises(LabError) as refused:
        Machines(tmp_path).up([machine_plan("gpu-1", 0, (rail("rail0", None, "0c:42:a1:00:00:10"),))], output.append)
    what = (
        rf"another command brings up this lab's machines already \(process {os.getpid()}, since .*\), and does not end"
    )
    assert re.search(what, str(refused.value))
    assert not (tmp_path / "lab").exists()


@pytest.mark.needs("root", "qemu-system-x86_64")
def test_too_few_megabytes_for_machines_beside_routed_switches_are_named_and_nothing_starts(tmp_path: Path) -> None:
    low = tmp_path / "meminfo"
    low.write_text("MemTotal: 8000000 kB\nMemAvailable: 3000000 kB\n")
    verb = f"{NORNIR} lab up --routed --hosts 2 --site lab-rails"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f"mount --bind {low} /proc/meminfo\nexec {verb}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "GPUFABRIC_STATE": str(tmp_path / "state")},
    )
    assert done.returncode == 10, done.stdout + done.stderr
    assert "too little memory for 2 machines and the routed switches" in done.stderr
    assert "expected: 5970 MiB" in done.stderr
    assert "found: 2929 MiB available" in done.stderr
    assert not list((tmp_path / "state").glob("*/lab")), "something was started all the same"


@pytest.mark.needs("root", "qemu-system-x86_64")
def test_a_host_without_a_rail_at_a_routed_switch_is_refused_by_name(tmp_path: Path) -> None:
    done = lab_up(5, tmp_path, "lab", "--routed", "--plane", "compute")
    assert done.returncode == 10, done.stdout + done.stderr
    assert "storage-1: has no rail at a switch that is routed here, so nothing of it would cross the lab" in done.stderr
    assert "hint: --hosts 4" in done.stderr
    assert "not at the switches of this routed lab" not in done.stdout
    assert not list(tmp_path.glob("*/lab")), "something was started all the same"

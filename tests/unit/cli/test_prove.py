"""``nornir prove``: what it prints, as text and JSON, and how it ends."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]


def prove(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from nornir_tasks.cli.main import main; main()", "prove", "--site", str(site), *words],
        env={**os.environ, "GPUFABRIC_STATE": str(site), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def site(folder: Path, change: dict[str, dict[str, Any]] | None = None) -> Path:
    """The built-in lab; ``change``: keys of its planes, None takes one away."""
    made = folder / "dc1"
    shutil.copytree(ROOT / "inventory/lab", made)
    intent = yaml.safe_load((made / "fabric.yml").read_text())
    for plane, keys in (change or {}).items():
        for key, value in keys.items():
            if value is None:
                del intent["planes"][plane][key]
            else:
                intent["planes"][plane][key] = value
    (made / "fabric.yml").write_text(yaml.safe_dump(intent, sort_keys=False))
    return made


def test_planes_that_are_apart_are_proved_so(tmp_path: Path) -> None:
    done = prove(site(tmp_path), "--only", "isolation")
    *assumed, last = done.stdout.splitlines()
    assert (done.returncode, last) == (0, "isolation 170 of 170 pairs"), done.stderr
    assert all(line.startswith("taken for granted: ") for line in assumed)


proves_firewalls = pytest.mark.needs("nft", "namespaces")


@proves_firewalls
def test_every_proof_has_one_line_and_a_place_in_reports_and_what_no_line_shows_is_no_pass(tmp_path: Path) -> None:
    junit, sarif = tmp_path / "prove.xml", tmp_path / "prove.sarif"
    done = prove(site(tmp_path), "--junit", str(junit), "--sarif", str(sarif))
    *shown, in_junit, in_sarif = done.stdout.splitlines()
    lines = [each for each in shown if not each.startswith(("taken for granted: ", "note: "))]
    open_ones = [each for each in lines if each.startswith("could not tell: ")]
    assert done.returncode == 0, done.stderr
    assert lines[len(open_ones) :] == [
        "isolation 170 of 170 pairs",
        "boundary 323 of 323 pairs",
        "class-path 84 of 84 hosts and cables, 52 skipped, 70 judged by symmetry",
        "pfc 74 of 74 cables, 58 skipped, 70 judged by symmetry",
        "headroom-fits 152 of 166 ends of cables and buffers, 14 could not be told, 58 skipped",
        "mtu 86 of 86 cables, 46 skipped",
        "layer-1 32 of 40 cables, 8 could not be told, 92 skipped",
        "ecn-before-pfc 0 of 18 switches, 18 could not be told, 6 skipped",
    ]
    assert len(open_ones) == 7
    assert junit.read_text().count("<testsuite ") == 8
    assert len(json.loads(sarif.read_text())["runs"][0]["tool"]["driver"]["rules"]) == 8
    assert (in_junit, in_sarif) == (f"{junit}: verdicts", f"{sarif}: verdicts")


def test_what_no_line_shows_ends_with_9_where_it_is_chosen_by_name(tmp_path: Path) -> None:
    done = prove(site(tmp_path), "--only", "ecn-before-pfc", "--only", "pfc")
    assert done.returncode == 9
    assert "18 could not be told" in done.stdout
    assert "isolation" not in done.stdout


def test_verdicts_are_written_for_other_programs(tmp_path: Path) -> None:
    done = prove(site(tmp_path), "--json", "--without", "boundary", "--without", "isolation")
    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert [each["proof"] for each in found["proofs"]] == [
        "class-path",
        "pfc",
        "headroom-fits",
        "mtu",
        "layer-1",
        "ecn-before-pfc",
    ]
    assert [each["failed"] for each in found["proofs"]] == [0] * 6


def test_two_documents_on_one_stdout_are_refused(tmp_path: Path) -> None:
    done = prove(site(tmp_path), "--json", "--sarif", "-")
    assert done.returncode == 2
    assert "would mix on stdout" in done.stderr


def test_a_bmc_that_shares_a_port_with_its_host_is_an_open_way_between_both_planes(tmp_path: Path) -> None:
    made = site(tmp_path)
    intent = yaml.safe_load((made / "fabric.yml").read_text())
    intent["hosts"]["storage"]["bmc_shares"] = "storage"
    (made / "fabric.yml").write_text(yaml.safe_dump(intent, sort_keys=False))
    done = prove(made, "--only", "isolation")
    assert done.returncode == 8
    assert "storage on storage to pdu on oob" in done.stdout
    assert "are one by the BMC of storage-1" in done.stdout
    granted = [line for line in done.stdout.splitlines() if line.startswith("taken for granted: ")]
    assert not [line for line in granted if "storage-* share no port" in line]
    assert [line for line in granted if "gpu-* share no port" in line]


def test_every_service_of_every_pair_is_listed_with_the_lines_that_decide(tmp_path: Path) -> None:
    shown = prove(site(tmp_path), "--all", "--only", "isolation").stdout.splitlines()
    first = shown.index("gpu on storage to storage on storage")
    passes = "front-leaf-g1-a Vlan200: rule 80 of STORAGE-V200-IN; front-leaf-g2-a Vlan200: rule 80 of STORAGE-V200-OUT"
    refused = "refused (front-leaf-g1-a Vlan200: rule 90 of STORAGE-V200-IN)"
    others = ("ssh", "https", "ipmi", "snmp", "ntp", "syslog", "anything else")
    assert shown[first + 1 : first + 9] == [f"  nfs: passes ({passes})", *(f"  {name}: {refused}" for name in others)]
    assert sum(" to " in line and not line.startswith(" ") for line in shown) == 170


@pytest.fixture
def open_site(tmp_path: Path) -> Path:
    """Nobody filters: neither plane of the front fabric has flows."""
    return site(tmp_path, {"storage": {"flows": None, "services": None}})


def test_each_open_way_is_shown_with_a_packet_and_the_interfaces_and_how_to_close_it(open_site: Path) -> None:
    done = prove(open_site, "--only", "isolation")
    assert done.returncode == 8
    shown = done.stdout.splitlines()
    first = shown.index("gpu on storage to gpu on business: open: TCP 10.176.0.4:49152 to 10.177.0.4:22, new")
    assert shown[first + 1 : first + 3] == [
        "  front-leaf-g1-a Vlan200: no access list in",
        "  front-leaf-g1-a Vlan300: no access list out",
    ]
    assert shown[-1] == "isolation 156 of 168 pairs"
    assert "12 pairs not as asked" in done.stderr
    assert "a plane with flows of its own refuses all else, from other planes too" in done.stderr


def test_the_document_has_every_pair_with_its_verdict(open_site: Path) -> None:
    done = prove(open_site, "--only", "isolation", "--json")
    assert done.returncode == 8
    found = json.loads(done.stdout)["isolation"]
    assert (found["proved"], found["total"], len(found["pairs"])) == (156, 168, 168)
    crossed = {
        (pair["source"]["plane"], pair["destination"]["plane"]) for pair in found["pairs"] if pair["verdict"] == "fail"
    }
    assert crossed == {("storage", "business"), ("business", "storage")}
    (breach, *_) = next(pair["breaches"] for pair in found["pairs"] if pair["breaches"])
    assert set(breach) == {"kind", "decided_by", "packet"}


def test_a_proof_that_there_is_not_is_refused_with_those_there_are(tmp_path: Path) -> None:
    done = prove(site(tmp_path), "--only", "isolatoin")
    assert done.returncode == 3
    assert "no such proof: isolatoin" in done.stderr
    assert "one of isolation" in done.stderr


def test_packets_need_a_boundary(tmp_path: Path) -> None:
    made = site(tmp_path)
    intent = yaml.safe_load((made / "fabric.yml").read_text())
    del intent["boundary"]
    intent["planes"]["business"]["default_route"] |= {"link": "10.190.0.0/28"}
    (made / "fabric.yml").write_text(yaml.safe_dump(intent, sort_keys=False))
    done = prove(made, "--only", "boundary", "--packets")
    assert done.returncode == 3
    assert "--packets: the intent has no boundary" in done.stderr


@proves_firewalls
def test_the_boundary_is_proved_from_the_rules_of_both_firewalls(tmp_path: Path) -> None:
    made = tmp_path / "dc1"
    shutil.copytree(ROOT / "tests/sites/boundary", made)
    done = prove(made, "--only", "boundary", "--json")
    found = json.loads(done.stdout)["boundary"]
    assert done.returncode == 0, done.stderr
    assert found["proved"] == found["total"] == len(found["pairs"]) > 200
    assert {each["verdict"] for each in found["pairs"]} == {"pass"}


def without_nft(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``nornir prove`` of a copy of the lab on a machine that has no nft, wherever it looks."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "unshare").symlink_to("/usr/bin/unshare")
    start = "from nornir_tasks.files import programs; programs.SYSTEM_FOLDERS = ()"
    return subprocess.run(
        [sys.executable, "-c", f"{start}; from nornir_tasks.cli.main import main; main()", "prove", *words],
        env={**os.environ, "PATH": str(programs), "GPUFABRIC_STATE": str(folder), "COLUMNS": "200"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_without_nft_nothing_is_proved_of_firewalls_and_the_package_is_named(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    done = without_nft(tmp_path, "--only", "boundary", "--junit", str(report))
    assert done.returncode == 9
    assert "firewall-1: nft is not installed here" in done.stderr
    assert "sudo apt-get install -y nftables" in done.stderr and "--without boundary" in done.stderr
    assert "could not tell: boundary: what firewalls let pass: nft is not installed here" in done.stdout
    assert "boundary 12 of 12 pairs, firewalls could not be told" in done.stdout
    assert 'errors="1"' in report.read_text() and "what firewalls let pass" in report.read_text()


def test_a_proof_that_is_left_out_is_said_to_be_and_all_else_is_proved(tmp_path: Path) -> None:
    done = without_nft(tmp_path, "--without", "boundary")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "left out: boundary (--without)"
    assert not any(each.startswith("boundary ") for each in done.stdout.splitlines())
    assert "isolation 170 of 170 pairs" in done.stdout


def test_documents_name_the_proofs_that_they_do_not_have(tmp_path: Path) -> None:
    done = prove(site(tmp_path), "--only", "isolation", "--only", "boundary", "--without", "boundary", "--json")
    found = json.loads(done.stdout)
    assert "boundary" not in found and {"boundary", "pfc"} <= {*found["left_out"]}
    assert "isolation" not in found["left_out"]


def test_proofs_that_there_are_not_cannot_be_left_out_nor_all_of_them(tmp_path: Path) -> None:
    done = prove(site(tmp_path), "--without", "boundry")
    assert done.returncode == 3 and "--without: no such proof: boundry" in done.stderr
    done = prove(tmp_path / "dc1", "--only", "pfc", "--without", "pfc")
    assert done.returncode == 3 and "--without: no proof is left" in done.stderr

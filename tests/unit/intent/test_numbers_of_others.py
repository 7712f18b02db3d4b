"""Pools and AS numbers of others are warned of at their line, and what is for anybody or one's own is not."""

from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.rules.numbers_of_others import warnings

LAB = Path(__file__).parents[3] / "inventory/lab/fabric.yml"


def warned(tmp_path: Path, text: str) -> tuple[str, ...]:
    file = tmp_path / "fabric.yml"
    file.write_text(text)
    return warnings(load_intent(file))


def line(text: str, part: str) -> int:
    return next(number for number, row in enumerate(text.splitlines(), start=1) if part in row)


TAKEN = (
    ("links: 10.160.0.0/13", "links: 8.0.0.0/8", "pools.links: public addresses"),
    ("loopback: 10.255.0.0/16", "loopback: 172.32.0.0/16", "pools.loopback: public addresses"),
    ("hosts: 10.168.0.0/13", "hosts: 100.128.0.0/13", "pools.hosts: public addresses"),
    ('hosts_v6: "fd00:300:0:3::/64"', 'hosts_v6: "2a00:300:0:3::/64"', "services.hosts_v6: public addresses"),
    ("asn: 4200000000-4200099999", "asn: 1-20000", "pools.asn: public AS numbers"),
    ("asn: 4200200000-4200209999", "asn: 70000-90000", "pools.asn: public AS numbers"),
    ("clients: [10.183.0.0/16]", "clients: [10.183.0.0/16, 0.0.0.0/0]", "clients[1]: everybody may try to log in"),
)
FOR_ANYBODY = (
    ("links: 10.160.0.0/13", "links: 172.20.0.0/14"),
    ("hosts: 10.168.0.0/13", "hosts: 192.168.0.0/16"),
    ("loopback: 10.255.0.0/16", "loopback: 100.64.0.0/16"),
    ("asn: 4200000000-4200099999", "asn: 64512-65534"),
    ('hosts_v6: "fd00:300:0:3::/64"', 'hosts_v6: "2001:db8:300:3::/64"'),
)


def test_what_others_have_is_warned_of_at_its_line(tmp_path: Path) -> None:
    text = LAB.read_text()
    for before, after, _ in TAKEN:
        assert text.count(before) == 1
        text = text.replace(before, after)
    found = warned(tmp_path, text)
    assert len(found) == len(TAKEN)
    for _, after, words in TAKEN:
        place = f"{tmp_path}/fabric.yml:{line(text, after)}: "
        assert any(each.startswith(place) and words in each for each in found), after


def test_what_is_for_anybody_is_not(tmp_path: Path) -> None:
    text = LAB.read_text()
    for before, after in FOR_ANYBODY:
        assert text.count(before) == 1
        text = text.replace(before, after)
    assert warned(tmp_path, text) == ()


def test_the_as_number_that_upstreams_know_and_exempt_prefixes_are_the_sites_own(tmp_path: Path) -> None:
    data: dict[str, Any] = yaml.safe_load(LAB.read_text())
    data["planes"]["business"]["pools"]["hosts_v6"] = "2a00:300::/48"
    data["fabrics"]["oob"]["pools"]["asn"] = "3320-3320"
    data["boundary"]["exempt"]["prefixes"].append("2a00:300::/40")
    for upstream in data["boundary"]["upstreams"].values():
        upstream["local_asn"] = 3320
    assert warned(tmp_path, yaml.safe_dump(data, sort_keys=False)) == ()

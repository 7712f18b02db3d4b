"""The file of what nobody may announce: its entries, and what is refused of it."""

from ipaddress import ip_network
from pathlib import Path

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import BogonsFile, load_bogons, load_catalogue
from nornir_tasks.files.marked_yaml import read_marked
from nornir_tasks.files.model_errors import validate
from nornir_tasks.files.resources import resource


def test_private_documentation_and_reserved_prefixes_of_both_families_are_bogons() -> None:
    found = load_bogons().prefixes
    for text in ("10.1.0.0/16", "100.64.0.0/10", "203.0.113.0/24", "fd00::/8", "2001:db8:1::/48", "fe80::/64"):
        prefix = ip_network(text)
        assert any(each.version == prefix.version and prefix.subnet_of(each) for each in found), text  # type: ignore[arg-type]


def test_public_addresses_are_none() -> None:
    for text in ("8.8.8.0/24", "193.0.0.0/21", "2001:4860::/32", "2a00::/12"):
        prefix = ip_network(text)
        assert not any(each.version == prefix.version and prefix.overlaps(each) for each in load_bogons().prefixes), (
            text
        )


def test_private_and_reserved_as_numbers_are_bogons_and_the_others_are_none() -> None:
    def is_bogon(asn: int) -> bool:
        return any(first <= asn <= last for first, last in load_bogons().asns)

    assert all(map(is_bogon, (0, 23456, 64496, 64512, 65534, 65535, 65551, 131071, 4200000000, 4294967295)))
    assert not any(map(is_bogon, (1, 3333, 64495, 131072, 399999, 4199999999)))


def test_the_catalogue_has_them() -> None:
    assert load_catalogue().bogons == load_bogons()


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (', source: "RFC 1918: private"', ""),
        ("first: 23456, last: 23456", "first: 70000, last: 70000"),
        ("prefix: 10.0.0.0/8", "prefix: 10.0.0.1/8"),
    ],
    ids=["without a source", "out of order", "no prefix"],
)
def test_a_wrong_entry_is_refused_with_its_line(good: str, bad: str, tmp_path: Path) -> None:
    file = tmp_path / "bogons.yml"
    file.write_text((resource("catalogue") / "bogons.yml").read_text().replace(good, bad, 1))
    with pytest.raises(IntentError, match=r"bogons\.yml:\d+"):
        validate(BogonsFile, read_marked(file))

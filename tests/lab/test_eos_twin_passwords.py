"""The hash behind ``secret sha512`` is the one every Unix computes."""

from __future__ import annotations

import pytest

from switch_twins.eos.passwords import matches, sha512_crypt


@pytest.mark.parametrize(
    ("password", "salt", "expected"),
    [
        (
            "Hello world!",
            "saltstring",
            "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
        ),
        (
            "we have a short salt string but not a short password",
            "short",
            "$6$short$qmfj2meTBr5G2EAGIJ4vjX7RpefsD4JzpEyTAeEUJdzdxlBS6pe8gdMHm5zFftaFSj/2p2bjBwyVS9ZhWpLZt.",
        ),
        ("", "ab", "$6$ab$xnh5Qsr2NdbFw1PgdZie7nLON3gv.S.23iQDBqAzkdoXPtDnVSpludXkM5UWybQO3OI7hBj9wHg9Ow6sUWD60/"),
        (
            "x" * 130,
            "0123456789abcdef",
            "$6$0123456789abcdef$aMqNf.eV1.F/kHG/PEL81Pb27I7rzRTDeKdTlYCjj3airFUvYUi1V5OMp2naCZ9mb51oc5cCLILVi/.dIJETu1",
        ),
    ],
)
def test_hashes_are_those_of_libcrypt(password: str, salt: str, expected: str) -> None:
    assert sha512_crypt(password, salt) == expected


def test_a_wrong_password_and_another_kind_of_hash_never_match() -> None:
    stored = sha512_crypt("right", "salt")
    assert matches("right", stored)
    assert not matches("wrong", stored)
    assert not matches("right", "")
    assert not matches("right", "$1$salt$abc")

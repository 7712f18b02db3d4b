"""Which switch is taken for the one that is meant, by serial number, by name, or by its address alone."""

from dataclasses import dataclass

import pytest

from nornir_tasks.deploy.identity import Doubts, short
from nornir_tasks.deploy.plan_one_switch import Rules, ask
from nornir_tasks.drivers.session import Facts, Running
from nornir_tasks.errors import IdentityError

NAMES = frozenset({"leaf-g1-r0", "leaf-g1-r1", "spine-1"})


@dataclass
class Answering:
    """A session with a switch that says this of itself."""

    hostname: str
    serial: str = "ABC1"

    def read(self, *_: object, **__: object) -> Running:
        return Running(Facts(self.hostname, "4.33.1F", "7060DX5-64S", self.serial), "")


def doubts_of(hostname: str, serial: str | None) -> Doubts:
    rules = Rules(serial=serial, names=NAMES)
    ask(Answering(hostname), "leaf-g1-r0", rules)  # type: ignore[arg-type] # of a session it is read and nothing else
    return rules.doubts


@pytest.mark.parametrize("hostname", ["leaf-g1-r1", "LEAF-G1-R1", "spine-1.dc.example.net"])
def test_a_switch_with_another_switchs_name_is_refused_without_a_serial_number(hostname: str) -> None:
    with pytest.raises(IdentityError, match="answers at this address"):
        doubts_of(hostname, None)


@pytest.mark.parametrize("hostname", ["leaf-g1-r1", "leaf-g1-r0", "localhost", ""])
def test_a_serial_number_that_is_right_decides_whatever_the_name(hostname: str) -> None:
    assert doubts_of(hostname, "ABC1").news() == []


def test_a_serial_number_that_is_wrong_is_refused_whatever_the_name() -> None:
    with pytest.raises(IdentityError, match="another switch answers"):
        doubts_of("leaf-g1-r0", "ABC2")


@pytest.mark.parametrize(
    ("hostname", "otherwise"),
    [("leaf-g1-r0", False), ("leaf-g1-r0.example.net", False), ("localhost", True), ("", False)],
)
def test_a_switch_known_by_its_address_alone_is_noted_and_another_name_told(hostname: str, otherwise: bool) -> None:
    doubts = doubts_of(hostname, None)
    (doubt,) = doubts.news()
    assert (doubt.device, doubt.serial, doubt.is_named_otherwise) == ("leaf-g1-r0", "ABC1", otherwise)
    assert doubts.news() == []


def test_a_name_is_compared_without_its_domain() -> None:
    assert short("Leaf-1.example.net") == "leaf-1"

"""Which switch is taken for the one that is meant, by serial number, by name, or by its address alone."""

from contextlib import nullcontext
from dataclasses import dataclass, replace

import pytest

from nornir_tasks.deploy.identity import Doubts, short
from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.plan_one_switch import Rules, ask, identify, planned, refuse_another_certificate
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.drivers.session import Facts, Running
from nornir_tasks.errors import IdentityError, RefusedError
from nornir_tasks.usecases.site import select
from tests.unit.design import managed, reached

DEVICE = "leaf-g1-r0"
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


class TestBeforeAPlan:
    """What is read with the configuration decides whether there is a plan at all."""

    @staticmethod
    def running(**facts: str) -> Running:
        wanted = select(managed.site())[DEVICE]
        own = Facts(DEVICE, wanted.declared.release, "7060DX5-64S", "ABC1")
        return Running(replace(own, **facts), "")

    def test_another_release_and_another_switch_are_refused_in_one_error(self) -> None:
        declared = select(managed.site())[DEVICE].declared
        good, other = self.running().facts, self.running(release="4.20.1F", serial="ABC2").facts
        assert good is not None
        assert other is not None
        identify(declared, good, Rules(serial="ABC1"))
        with pytest.raises(IdentityError) as refused:
            identify(declared, other, Rules(serial="ABC1"))
        assert [each.what for each in refused.value.problems] == [
            "another switch answers at this address",
            "the switch runs another release than declared",
        ]

    def test_no_plan_is_made_of_a_switch_that_said_with_its_configuration_that_it_is_another_one(self) -> None:
        wanted = select(managed.site())[DEVICE]
        assert planned(self.running(), wanted, Rules(serial="ABC1")).changes
        with pytest.raises(IdentityError, match="another switch answers"):
            planned(self.running(serial="ABC2"), wanted, Rules(serial="ABC1"))

    def test_one_whose_identity_was_not_read_with_it_is_planned_and_identified_later(self) -> None:
        wanted = select(managed.site())[DEVICE]
        assert planned(Running(None, ""), wanted, Rules(serial="ABC2")).changes

    @pytest.mark.parametrize("device", reached.DEVICES.values(), ids=reached.DEVICES)
    def test_a_pinned_switch_is_refused_another_certificate_and_nothing_else(self, device: str) -> None:
        new, pinned = with_certificate(device, "fabric-2026"), Rules(is_pinned=True)
        for runs, is_refused in (("fabric-2025", True), ("fabric-2026", False)):
            plan = device_plan(new, with_certificate(device, runs, ntp=("192.0.2.121",)).text, allow_management=True)
            assert plan.changes
            with pytest.raises(RefusedError, match=runs) if is_refused else nullcontext():
                refuse_another_certificate(plan, new, pinned)
            refuse_another_certificate(plan, new, Rules())


def with_certificate(device: str, name: str, **other: object) -> Wanted:
    """The whole of a switch whose API has this certificate."""
    policy = managed.altered(reached.POLICY, api={"certificate": name}, **other)
    return select(reached.design(policy))[device]

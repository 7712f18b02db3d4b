"""What keeps a host from translating, or from writing it down, is found before anything changes."""

from typing import Any

import pytest

from ansible_collections.gpufabric.host.plugins.filter.nat_gateway_problems import nat_gateway_problems

HOSTS = {"name": "egress.hosts", "sources": ["10.177.1.0/24"], "first": "203.0.113.16", "last": "203.0.113.19"}
GPUS = {"name": "egress.gpus", "sources": ["10.177.2.0/24"], "first": "203.0.113.20", "last": "203.0.113.20"}
LINKS = [{"ifname": "lo"}, {"ifname": "wan"}]
LOG = {"file_megabytes": 100, "megabytes": 5000, "syslog": [], "free_megabytes": 9000, "used_megabytes": 0}


def problems(
    *translations: dict[str, Any], port: str = "wan", shared: str | None = "203.0.113.1", **log: Any
) -> list[str]:
    return nat_gateway_problems(translations, port, shared, LINKS, {**LOG, **log})


def test_a_host_that_can_is_taken() -> None:
    assert problems(HOSTS, GPUS) == []
    assert problems(shared=None) == []


def test_a_missing_port_and_pools_that_overlap_are_said_together() -> None:
    found = problems(HOSTS, {**GPUS, "first": "203.0.113.18"}, port="wan9")
    assert found == [
        "nat_gateway_port: no interface wan9 on this host; compare with `ip link`, correct the port in fabric.yml",
        "nat_gateway_translations egress.hosts and egress.gpus: their pools overlap; give each addresses of its own",
    ]


def test_one_rule_in_two_parts_has_one_pool() -> None:
    assert problems(HOSTS, {**HOSTS, "sources": ["10.190.0.0/28"]}) == []


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"first": "203.0.113.30"}, "the lower address comes first"),
        ({"sources": ["203.0.113.0/27"]}, "its pool is among its sources 203.0.113.0/27"),
    ],
)
def test_a_pool_that_cannot_be_is_refused(changed: dict[str, Any], says: str) -> None:
    (problem,) = problems({**HOSTS, **changed})
    assert says in problem


def test_pools_without_an_address_outside_are_refused() -> None:
    (problem,) = problems(HOSTS, shared=None)
    assert problem.startswith("nat_gateway_shared: nothing")


@pytest.mark.parametrize(
    ("log", "says"),
    [
        ({"megabytes": 299}, "299 for files of 100 MB; room for 3 files"),
        ({"file_megabytes": 0}, "5000 for files of 0 MB"),
        ({"megabytes": 9000}, "9000 are more than 7200, 80 %"),
        ({"syslog": ["logs.example:514"]}, "logs.example:514 is neither"),
        ({"syslog": ["10.0.0.1:0"]}, "10.0.0.1:0 is neither"),
    ],
)
def test_a_log_that_cannot_be_kept_is_refused(log: dict[str, Any], says: str) -> None:
    (problem,) = problems(HOSTS, **log)
    assert says in problem


def test_what_the_log_has_already_counts_as_room_for_it() -> None:
    assert problems(HOSTS, free_megabytes=2000, used_megabytes=5000) == []


@pytest.mark.parametrize("where", ["/dev/log", "10.0.0.1:514", "[fd00::1]:514"])
def test_places_of_syslog_are_taken(where: str) -> None:
    assert problems(HOSTS, syslog=[where]) == []

"""NvueSession against the lab's Cumulus Linux switches of both releases: reads, transactions, trust, and live state."""

import hashlib
import json
import logging
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from described_lab import LabDescription, RunningLab

from nornir_tasks.design.config.bgp import Bfd
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.nvue import NvueSession
from nornir_tasks.drivers.session import Depth, Endpoint
from nornir_tasks.errors import AuthError, CommitError, ConnectError, StageError, TrustError
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.nvue import PLATFORM
from nornir_tasks.platforms.observed import LldpNeighbor
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Candidate
from tests.unit.platforms.nvue_examples import claims_of, facts_of, group, leaf, rendered, spine


def _pair() -> dict[str, DeviceConfig]:
    """A leaf on 5.14 and a spine on 5.16, the two ends of one cable."""
    lower, upper = leaf("5.14", ports=2, spines=1), spine("5.16", leaves=1)
    assert upper.bgp is not None
    bgp = replace(
        upper.bgp,
        asn=4200000000,
        router_id="10.255.1.1",
        networks=("10.255.1.1/32",),
        peer_groups=(group("COMPUTE-LEAVES", route_map_in=None),),
    )
    loopback = Interface("lo", None, "10.255.1.1/32", None, True, None)
    ports = tuple(replace(each, mtu_bytes=9214) for each in upper.interfaces[1:])
    policy = leaf("5.16", ports=2, spines=1).routing_policy
    maps = tuple(replace(each, name="COMPUTE-leaf-g0-r0-IN") for each in policy.route_maps[:1])
    every = tuple(
        replace(each, rules=(replace(each.rules[0], match_prefix_list=None),)) for each in policy.route_maps[1:]
    )
    upper = replace(
        upper,
        bgp=bgp,
        bfd=Bfd(300, 300, 3),
        interfaces=(loopback, *ports),
        routing_policy=replace(policy, route_maps=(*every, *maps)),
    )
    return {"leaf-g0-r0": lower, "spine-0": upper}


CONFIGS = _pair()
DEVICES = tuple(CONFIGS)


@pytest.fixture(scope="module")
def lab(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("nvue") / "lab")
    description.add_device("leaf-g0-r0", "nvue", release="5.14.0", asn=4200000001)
    description.add_device("spine-0", "nvue", release="5.16.1", asn=4200000000)
    description.add_cable(("leaf-g0-r0", "swp3"), ("spine-0", "swp1"))
    return start_module_lab(description)


def endpoint(lab: RunningLab, device: str, **changes: Any) -> Endpoint:
    return lab.endpoint(device, **changes)


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def session(lab: RunningLab, device: str) -> Iterator[NvueSession]:
    made = open_session("nvue", endpoint(lab, device))
    assert isinstance(made, NvueSession)
    yield made
    made.close()


def wanted(device: str, **changes: Any) -> ConfigTree:
    return PLATFORM.canonical(PLATFORM.to_tree(rendered(replace(CONFIGS[device], **changes))))


def parts_of(device: str, running: str) -> tuple[ConfigTree, ConfigTree]:
    """What of a running configuration is ours, and what is not."""
    parts = split(PLATFORM.to_tree(running), PLATFORM.ownership, claims_of(CONFIGS[device]))
    return join([parts[SWITCH], parts["compute"]]), parts[None]


def planned(device: str, running: str, tree: ConfigTree) -> Candidate:
    return PLATFORM.candidate(PLATFORM.to_tree(running), parts_of(device, running)[0], tree)


def push(session: NvueSession, device: str, tree: ConfigTree) -> None:
    made = planned(device, session.read().text, tree)
    if made.changes:
        assert session.stage(made).changes == frozenset(made.changes)
        session.confirm(session.commit(60))


def counters(lab: RunningLab, device: str) -> tuple[int, int]:
    found = lab.control.ask("requests")[device]
    return found["connections"], found["requests"]


def revisions(session: NvueSession) -> dict[str, str]:
    return session.client.revisions()


def test_reading_costs_one_connection_and_two_requests(lab: RunningLab, device: str, session: NvueSession) -> None:
    connections, requests = counters(lab, device)
    running = session.read(Depth.USUAL)
    assert counters(lab, device) == (connections + 1, requests + 2)
    assert running.facts is None
    running = session.read()
    assert counters(lab, device) == (connections + 1, requests + 5)
    number = DEVICES.index(device)
    assert (running.facts.hostname, running.facts.serial) == (device, f"LAB{number:04d}")
    assert (running.facts.model, running.facts.release) == ("SN5600", ("5.14.0", "5.16.1")[number])
    assert facts_of(CONFIGS[device]).runs(running.facts.release)
    assert json.loads(running.text)["system"]["hostname"] == device


def test_a_push_is_what_the_switch_says_it_is_and_a_second_one_has_nothing_to_do(
    device: str, session: NvueSession
) -> None:
    push(session, device, ConfigTree())
    running = session.read().text
    foreign = parts_of(device, running)[1]
    made = planned(device, running, wanted(device))
    assert made.changes
    assert not any(pointer in ("", "/") for pointer in made.payload["delete"])
    staged = session.stage(made)
    assert staged.changes == frozenset(made.changes)
    token = session.commit(60)
    session.close()

    session.confirm(token)
    session.save()
    after = session.read().text
    assert planned(device, after, wanted(device)).changes == ()
    assert parts_of(device, after)[1] == foreign
    found = PLATFORM.parse(parts_of(device, after)[0], facts_of(CONFIGS[device]), device, "SN5600")
    assert found.config == replace(CONFIGS[device], name=device, model="SN5600")
    assert not found.remainder
    saved = session.client.get(rev="startup", filled="false", expand="true")
    assert not list(difference(PLATFORM.to_tree(json.dumps(saved)), PLATFORM.to_tree(after)))


def test_changes_and_removals_are_exactly_what_the_switch_says(device: str, session: NvueSession) -> None:
    push(session, device, wanted(device))
    config = CONFIGS[device]
    assert config.bgp is not None
    assert config.qos is not None
    profile = config.qos.profiles[0]
    queues = tuple(replace(each, ecn=None) for each in profile.queues)
    fewer = wanted(
        device,
        interfaces=(
            config.interfaces[0],
            *(replace(each, mtu_bytes=9000, description=None, enabled=False) for each in config.interfaces[1:-1]),
        ),
        bgp=replace(config.bgp, neighbors=(), networks=config.bgp.networks[:1], maximum_paths=2),
        qos=replace(config.qos, profiles=(replace(profile, queues=queues),)),
        static_routes=(),
        lldp=None,
        hashing=None,
    )
    before = session.read().text
    made = planned(device, before, fewer)
    assert session.stage(made).changes == frozenset(made.changes)
    session.confirm(session.commit(60))
    assert planned(device, session.read().text, fewer).changes == ()
    push(session, device, wanted(device))
    assert session.read().text == before


def test_a_commit_that_is_taken_back_leaves_the_switch_as_it_was(
    lab: RunningLab, device: str, session: NvueSession
) -> None:
    push(session, device, wanted(device))
    before = session.read().text
    session.stage(planned(device, before, wanted(device, static_routes=(), hashing=None)))
    token = session.commit(60)
    assert session.read().text != before
    session.close()
    other = NvueSession(endpoint(lab, device))
    other.revert(token)
    assert other.read().text == before
    other.revert(token)
    with pytest.raises(CommitError, match="not confirmed in time"):
        other.confirm(token)
    other.close()


def test_a_commit_nobody_confirms_goes_back_by_the_switchs_own_timer(session: NvueSession, device: str) -> None:
    push(session, device, wanted(device))
    before = session.read().text
    session.stage(planned(device, before, wanted(device, hashing=None)))
    token = session.commit(2)
    deadline = time.monotonic() + 60
    while session.client.state(token) == "confirm" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert session.read().text == before
    with pytest.raises(CommitError, match="the switch took it back by itself"):
        session.confirm(token)


def test_nothing_is_staged_while_another_commit_waits_for_its_confirmation(
    lab: RunningLab, device: str, session: NvueSession
) -> None:
    push(session, device, wanted(device))
    running = session.read().text
    session.stage(planned(device, running, wanted(device, hashing=None)))
    token = session.commit(60)
    other = NvueSession(endpoint(lab, device))
    with pytest.raises(StageError, match=f"revision {token} waits for its confirmation"):
        other.stage(planned(device, running, wanted(device, lldp=None)))
    session.revert(token)
    assert other.read().text == running
    other.close()


def test_what_the_schema_refuses_is_a_stage_error_in_the_switchs_words_and_leaves_nothing(session: NvueSession) -> None:
    before = revisions(session)
    running = session.read().text
    with pytest.raises(StageError, match=r"/interface/swp1/link.*made-up"):
        session.stage(Candidate({"delete": (), "patch": {"interface": {"swp1": {"link": {"made-up": 1}}}}}, ()))
    with pytest.raises(StageError, match="HTTP 404"):
        session.stage(Candidate({"delete": ("/vrf/nowhere",), "patch": {}}, ()))
    assert revisions(session) == before
    assert session.read().text == running


def test_a_configuration_that_cannot_work_is_a_commit_error_and_changes_nothing(
    session: NvueSession, device: str
) -> None:
    push(session, device, wanted(device))
    running = session.read().text
    unknown = {
        "router": {"policy": {"route-map": {"COMPUTE-OUT": {"rule": {"10": {"match": {"ip-prefix-list": "NONE"}}}}}}}
    }
    session.stage(Candidate({"delete": ("/router/bgp/router-id",), "patch": unknown}, ()))
    try:
        token = session.commit(30)
    except CommitError as error:
        assert "the switch did not apply the revision" in str(error)
    else:
        session.revert(token)
    assert session.read().text == running


def test_abort_forgets_the_revision_and_is_safe_when_nothing_is_staged(session: NvueSession, device: str) -> None:
    before = revisions(session)
    session.abort()
    session.stage(planned(device, session.read().text, ConfigTree()))
    session.abort()
    session.abort()
    assert revisions(session) == before
    with pytest.raises(CommitError, match="nothing is staged"):
        session.commit(30)


def test_the_live_state_is_read_in_the_checks_own_words(lab: RunningLab) -> None:
    sessions = {name: NvueSession(endpoint(lab, name)) for name in DEVICES}
    for name, each in sessions.items():
        push(each, name, wanted(name))
    seen = {name: each.observe() for name, each in sessions.items()}
    for each in sessions.values():
        each.close()
    lower, upper = seen["leaf-g0-r0"], seen["spine-0"]
    assert LldpNeighbor("swp3", "spine-0", "swp1") in lower.lldp
    assert [(peer.vrf, peer.address, peer.remote_as, peer.established) for peer in lower.bgp] == [
        ("CORP", "203.0.113.1", 64999, False),  # somebody else's
        (None, "10.160.0.0", 4200000000, True),
    ]
    assert [(peer.address, peer.remote_as, peer.established) for peer in upper.bgp if peer.vrf is None] == [
        ("10.160.0.1", 4200000001, True)
    ]
    assert ((None, "10.255.1.1/32"), 1) in lower.routes
    assert ((None, "10.168.0.0/24"), 1) in upper.routes
    port = next(each for each in lower.ports if each.name == "swp3")
    assert (port.admin_up, port.oper_up, port.mtu_bytes) == (True, True, 9214)
    assert lower.dscp_to_priority is not None
    assert [code for code in range(64) if lower.dscp_to_priority[code] == 3] == [26]
    config = CONFIGS["leaf-g0-r0"]
    assert config.qos is not None
    marks = tuple((queue.number, queue.ecn) for queue in config.qos.profiles[0].queues if queue.ecn)
    qos = next(each for each in lower.qos if each.port == "swp3")
    assert (qos.trust_dscp, qos.pfc_priorities, qos.watchdog, qos.ecn) == (True, (3,), True, marks)


# -- trust ---------------------------------------------------------------------------------------------------------


def fingerprint(lab: RunningLab, device: str) -> str:
    found = endpoint(lab, device)
    certificate = ssl.get_server_certificate((found.address, found.api_port), ca_certs=lab.ca)
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()


def test_a_pinned_fingerprint_is_trusted_and_another_one_is_not(lab: RunningLab, device: str) -> None:
    pinned = NvueSession(endpoint(lab, device, ca_file=None, fingerprint=fingerprint(lab, device)))
    assert pinned.read().facts.hostname == device
    pinned.close()
    requests = counters(lab, device)[1]
    with pytest.raises(TrustError, match="not one we trust"):
        NvueSession(endpoint(lab, device, ca_file=None, fingerprint="0" * 64)).read()
    assert counters(lab, device)[1] == requests


def test_a_certificate_of_an_unknown_authority_is_refused_before_anything_is_sent(lab: RunningLab, device: str) -> None:
    requests = counters(lab, device)[1]
    with pytest.raises(TrustError, match="signed by a known authority"):
        NvueSession(endpoint(lab, device, ca_file=None)).read()
    with pytest.raises(TrustError, match="not one we trust"):
        NvueSession(endpoint(lab, device, ca_file=Path("/nowhere/ca.pem"))).read()
    assert counters(lab, device)[1] == requests


def test_wrong_credentials_and_a_silent_address_say_what_to_do(lab: RunningLab, device: str) -> None:
    with pytest.raises(AuthError, match="refused the credentials of 'gpufabric'"):
        NvueSession(endpoint(lab, device, password="wrong")).read()
    with pytest.raises(AuthError, match="'nobody'"):
        NvueSession(endpoint(lab, device, username="nobody")).read()
    with pytest.raises(ConnectError, match=r"nothing useful answers at .*Connection refused"):
        NvueSession(endpoint(lab, device, api_port=1)).read()


def test_no_password_reaches_a_log_or_an_error(lab: RunningLab, device: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    made = NvueSession(endpoint(lab, device))
    push(made, device, wanted(device))
    made.close()
    wrong = "not-the-password-5117"
    with pytest.raises(AuthError) as raised:
        NvueSession(endpoint(lab, device, password=wrong)).read()
    assert lab.description.password not in caplog.text
    assert wrong not in caplog.text + str(raised.value) + repr(endpoint(lab, device, password=wrong))

"""``nornir validate`` on a real lab: one cause, one finding; a slow switch is not an unreachable one.

Each test leaves the lab as it found it: pushed and valid.
"""

import json
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from at_terminal import Operator, lab_of_its_own, small_site

from nornir_tasks.deploy.fleet import Fleet, Results, Target
from nornir_tasks.deploy.plan_one_switch import Rules
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.deploy.tasks import Job
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.errors import ConnectError, TrustError
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.usecases.site import load, select

SWITCHES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("causes"), small_site) as made:
        assert "4 of 4 changed" in made.run("push", "--yes")
        yield made


def fabric_port(operator: Operator, device: str) -> str:
    found = operator.json("design")["links"]
    ends = (end for link in found if link["kind"] == "fabric" for end in (link["upper"], link["lower"]))
    return next(str(end["port"]) for end in ends if end["device"] == device)


def shut(operator: Operator, device: str, port: str, *, down: bool) -> None:
    hand = operator.hands()[device]
    if hand.os == "nvue":
        gone = "up" if down else "down"
        hand.nvue(delete=f"interface/{port}/link/state/{gone}")
        hand.nvue({"interface": {port: {"link": {"state": {"down" if down else "up": {}}}}}})
    else:
        hand.configure(f"interface {port}", "shutdown" if down else "no shutdown")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", sorted(SWITCHES))
def test_a_shut_port_is_one_leading_finding_with_the_push_that_repairs_it(pushed: Operator, system: str) -> None:
    device = SWITCHES[system]
    port, clean = fabric_port(pushed, device), pushed.json("validate")
    assert clean["causes"] == []
    shut(pushed, device, port, down=True)
    try:
        report = pushed.json("validate", code=8)
        (lead,) = report["causes"]
        by_id = {each["id"]: each for each in report["findings"]}
        assert (by_id[lead]["check"], by_id[lead]["device"], by_id[lead]["port"]) == ("config", device, port)
        remedy = f"nornir push --site {pushed.site} --limit {device}"
        assert by_id[lead]["remedy"] == remedy
        follows = [each for each in report["findings"] if each["verdict"] == "fail" and each["id"] != lead]
        assert {each["cause"] for each in follows} == {lead}
        assert (report["of"], report["failed"]) == (clean["of"], len(follows) + 1)

        text = pushed.run("validate", code=8)
        assert f"FAILED, 1 cause, tested {clean['of']} of {clean['of']}" in text
        assert f"hint: {remedy}" in text
        assert text.count("fail: ") == 1
        assert pushed.run("validate", "--all", code=8).count("fail: ") == report["failed"]
    finally:
        assert "1 of 4 changed" in pushed.run("push", "--yes")
    assert pushed.json("validate")["failed"] == 0


def test_a_missing_authority_is_said_once_before_any_switch_is_asked(pushed: Operator) -> None:
    authority = pushed.lab / "ca.pem"
    kept = authority.with_suffix(".kept")
    shutil.move(authority, kept)
    try:
        text = pushed.run("validate", code=3)
    finally:
        shutil.move(kept, authority)
    assert text.count("error:") == 1
    assert "the CA's certificate is not there" in text
    assert str(authority) in text
    assert "nxapi" not in text


@contextmanager
def slow(address: str, port: int, hold: int) -> Iterator[tuple[int, list[socket.socket]]]:
    """A way to a switch whose first ``hold`` connections are taken and never served; the port, and all that came."""
    came: list[socket.socket] = []
    open_sockets: list[socket.socket] = []

    def pump(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                sink.sendall(chunk)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                came.append(client)
                if len(came) <= hold:
                    continue
                server = socket.create_connection((address, port), 10)
                open_sockets.append(server)
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

    with socket.create_server((address, 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1], came
        for each in (*came, *open_sockets):
            each.close()


def planned(operator: Operator, change: dict[str, Callable[[Endpoint], Endpoint]]) -> Results[PlanSummary]:
    """Plan these switches of the lab, each reached otherwise than the device list says."""
    design = load(operator.site)
    wanted = dict(select(design, limit=list(change)))
    known = endpoints(design.site, {name: each.config.os for name, each in wanted.items()})
    targets = {
        name: Target(
            Job(each.declared, partial(wanted.__getitem__, name), Rules(serial=known[name].serial)),
            change[name](known[name].endpoint),
        )
        for name, each in wanted.items()
    }
    fleet = Fleet(targets)
    try:
        return fleet.plan(lambda _: None)
    finally:
        fleet.close()


def at(port: int) -> Callable[[Endpoint], Endpoint]:
    return lambda endpoint: replace(endpoint, api_port=port, timeout_s=6.0)


@pytest.fixture(autouse=True)
def _state(pushed: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(pushed.state))


def endpoint_of(operator: Operator, device: str) -> Endpoint:
    design = load(operator.site)
    return endpoints(design.site, {device: design.network.device(device).os})[device].endpoint


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", sorted(SWITCHES))
def test_a_switch_that_is_slow_once_is_read_at_the_second_try(pushed: Operator, system: str) -> None:
    device = SWITCHES[system]
    real = endpoint_of(pushed, device)
    with slow(real.address, real.api_port, hold=1) as (port, came):
        found = planned(pushed, {device: at(port), "spine-2": lambda endpoint: endpoint})
    assert found.errors == {}
    assert {name: plan.changes for name, plan in found.values.items()} == {device: (), "spine-2": ()}
    assert len(came) >= 2


def test_a_switch_that_stays_silent_is_asked_twice_and_that_is_said(pushed: Operator) -> None:
    """One of each system, all at once."""
    with ExitStack() as stack:
        ports, calls = {}, {}
        for device in SWITCHES.values():
            real = endpoint_of(pushed, device)
            ports[device], calls[device] = stack.enter_context(slow(real.address, real.api_port, hold=100))
        silent = {device: at(port) for device, port in ports.items()}
        found = planned(pushed, {**silent, "spine-2": lambda endpoint: endpoint})
    assert set(found.values) == {"spine-2"} - silent.keys()
    for device in silent:
        (problem,) = found.errors[device].problems
        assert isinstance(found.errors[device], ConnectError)
        assert problem.what.endswith("(tried twice)")
        assert len(calls[device]) == 2


@pytest.mark.parametrize("system", sorted(SWITCHES))
def test_a_certificate_that_is_not_trusted_is_never_tried_again(pushed: Operator, system: str) -> None:
    device = SWITCHES[system]
    real = endpoint_of(pushed, device)
    with slow(real.address, real.api_port, hold=0) as (port, came):
        pinned = {device: lambda endpoint: replace(at(port)(endpoint), fingerprint="0" * 64)}
        found = planned(pushed, pinned)
    assert isinstance(found.errors[device], TrustError)
    assert "twice" not in str(found.errors[device])
    assert len(came) == 1


def test_a_lab_that_has_ended_is_said_once_with_what_brings_it_back(tmp_path: Path) -> None:
    with lab_of_its_own(tmp_path, small_site) as made:
        _kill(made)
        for verb in (("validate",), ("plan",), ("push", "--yes")):
            text = made.run(*verb, code=10)
            assert text.count("error:") == 1, text
            assert "the lab of this site has ended" in text
            assert f"nornir lab up --site {made.site}, then nornir push --site {made.site}\n" in text


def _kill(operator: Operator) -> None:
    pid = json.loads((operator.lab / "ready.json").read_text())["pid"]
    os.kill(pid, signal.SIGKILL)
    for _ in range(1000):
        with suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.05)
                continue
        return

"""Faults of the lab's own while it answers: each API says so in its own words, and the lab's log has the traceback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest
import requests
from described_lab import LabDescription

from switch_twins.certificates import LabCertificates
from switch_twins.clock import RealClock
from switch_twins.control import ControlServer
from switch_twins.fabric import FabricSim
from switch_twins.lab_context import LabContext
from switch_twins.server import LabServer, build_twin
from switch_twins.spec import DeviceSpec, LabSpec
from switch_twins.spec_reader import load_spec

SECRET = "what-only-the-log-may-have"
SHOW = "show interface status"
WORDS = "the lab failed to answer: LookupError in "
MORE = "; the lab's log has its traceback"


class Failing(FabricSim):
    """One that knows nothing of its switches' ports."""

    def is_up(self, device: str, interface: str) -> bool:
        raise LookupError(SECRET)


def answered(system: str, directory: Path, path: str, body: object) -> requests.Response:
    """What the switch of a lab answers over its API; without a body it is a GET."""
    description = LabDescription(directory / "lab")
    description.add_device("leaf-1", system)
    return asyncio.run(_answered(description, path, body))


@asynccontextmanager
async def listening(description: LabDescription) -> AsyncIterator[tuple[LabSpec, DeviceSpec]]:
    """The one switch of a lab."""
    spec, clock = load_spec(description.write()), RealClock()
    (device,) = spec.devices
    certificates = LabCertificates(spec.ca, spec.directory / "certificates")
    fabric = Failing((), (), clock)
    login = (description.username, description.password)
    twin = build_twin(device, LabContext("test", spec.directory, *login, clock, certificates, fabric))
    fabric.attach(twin)
    await twin.start()
    try:
        yield spec, device
    finally:
        await twin.stop()


async def _answered(description: LabDescription, path: str, body: object) -> requests.Response:
    async with listening(description) as (spec, device):
        url = f"https://{device.address}:{device.api_port}{path}"
        login = (description.username, description.password)
        more: dict[str, Any] = {"auth": login, "verify": str(spec.ca), "timeout": 20}
        if body is None:
            return await asyncio.to_thread(requests.get, url, **more)
        return await asyncio.to_thread(requests.post, url, json=body, **more)


def assert_in_answer_and_log(error: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The error tells where, the log tells all."""
    assert error.startswith(WORDS)
    assert error.endswith(MORE)
    log = capsys.readouterr().err
    assert log.startswith("leaf-1: an answer failed\nTraceback")
    assert f"LookupError: {SECRET}" in log


def test_nvue_answers_with_a_problem_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered("nvue", tmp_path, "/nvue_v1/interface", None)
    found = answer.json()
    assert (answer.status_code, found["status"], found["title"]) == (500, 500, "Internal Server Error")
    assert_in_answer_and_log(found["detail"], capsys)


def test_eapi_answers_with_an_error_of_json_rpc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = {
        "jsonrpc": "2.0",
        "method": "runCmds",
        "id": "one",
        "params": {"version": 1, "cmds": ["show interfaces status"]},
    }
    found = answered("eos", tmp_path, "/command-api", call).json()
    assert (found["id"], found["error"]["code"]) == ("one", -32603)
    assert_in_answer_and_log(found["error"]["message"], capsys)


def test_nxapi_answers_with_an_error_of_json_rpc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = {"jsonrpc": "2.0", "method": "cli", "id": 1, "params": {"version": 1, "cmd": SHOW}}
    answer = answered("nxos", tmp_path, "/ins", [call])
    found = answer.json()["error"]
    assert (answer.status_code, found["code"]) == (500, -32603)
    assert_in_answer_and_log(found["data"]["msg"], capsys)


def test_ins_api_answers_with_an_error_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = {"ins_api": {"type": "cli_show", "version": "1.0", "input": SHOW}}
    found = answered("nxos", tmp_path, "/ins", call).json()["ins_api"]["outputs"]["output"]
    assert found["code"] == "500"
    assert_in_answer_and_log(found["clierror"], capsys)


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_ssh_closes_the_connection(system: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    description = LabDescription(tmp_path / "lab")
    description.add_device("leaf-1", system)
    commands = ["enable", "show interfaces status"] if system == "eos" else [SHOW]

    async def ended() -> asyncssh.SSHCompletedProcess:
        async with listening(description) as (_, device):
            login = {"username": description.username, "password": description.password}
            connected = asyncssh.connect(device.address, device.ssh_port, known_hosts=None, **login)
            async with connected as connection:
                text = "".join(f"{each}\n" for each in commands)
                return await connection.run(input=text, request_pty="force", timeout=20)

    assert asyncio.run(ended()).exit_status is None
    assert f"LookupError: {SECRET}" in capsys.readouterr().err


def test_the_control_socket_tells_faults_of_the_lab_from_requests_that_it_does_not_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    description = LabDescription(tmp_path / "lab")
    description.add_device("leaf-1", "eos")

    async def answers(*requests: object) -> list[dict[str, str]]:
        lab = LabServer(load_spec(description.write()))
        lab.build()
        control = ControlServer(lab, tmp_path / "control.sock")
        await control.start()
        reader, writer = await asyncio.open_unix_connection(tmp_path / "control.sock")
        try:
            found = []
            lab.fabric = Failing((), (), lab.clock)
            for each in requests:
                writer.write(json.dumps(each).encode() + b"\n")
                found.append(json.loads(await reader.readline()))
            return found
        finally:
            writer.close()
            await control.stop()

    known = {"request": "lldp", "device": "leaf-1"}
    fault, unknown, incomplete = asyncio.run(answers(known, {"request": "nonsense"}, {"request": "lldp"}))
    assert fault["error"].startswith(WORDS.replace("LookupError", "KeyError"))
    assert "Traceback" in capsys.readouterr().err
    for each in (unknown, incomplete):
        assert each["error"].startswith("not a request this lab knows: KeyError")

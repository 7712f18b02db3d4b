"""A twin's HTTPS front: verified TLS, one account, connections kept and counted."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from conftest import free_network

from nornir_tasks.lab.twins.certificates import LabCertificates
from nornir_tasks.lab.twins.clock import ManualClock
from nornir_tasks.lab.twins.fabric import FabricSim
from nornir_tasks.lab.twins.https import ApiServer
from nornir_tasks.lab.twins.spec import DeviceSpec
from nornir_tasks.lab.twins.twin import LabContext, RequestCounter

DEVICE = DeviceSpec("leaf-0", "eos", "", "", "", "S", "", 8443, 8022, 1, ())


def login(username: str, password: str) -> dict[str, str]:
    return {"Authorization": aiohttp.encode_basic_auth(username, password)}


class Front:
    """A served front and a client that trusts the lab's CA."""

    def __init__(self, directory: Path) -> None:
        clock = ManualClock()
        certificates = LabCertificates(directory / "ca.pem", directory / "c")
        self.lab = LabContext("t", directory, "gpufabric", "s3cret", clock, certificates, FabricSim((), (), clock))
        self.device = replace(DEVICE, address=f"{free_network()}.11")
        self.counter = RequestCounter()
        self.server = ApiServer(self.device, self.lab, self.counter, self._handle)
        self.tls = ssl.create_default_context(cafile=str(certificates.ca))
        self.url = f"https://{self.device.address}:8443/x"

    @staticmethod
    async def _handle(request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({"got": len(await request.text())})


@asynccontextmanager
async def front(directory: Path) -> AsyncIterator[tuple[Front, aiohttp.ClientSession]]:
    served = Front(directory)
    await served.server.start()
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=served.tls)) as client:
            yield served, client
    finally:
        await served.server.stop()


def test_login_is_needed_and_connections_and_requests_are_counted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with front(tmp_path) as (served, client):
            good = login("gpufabric", "s3cret")
            for headers, status in (
                ({}, 401),
                (login("gpufabric", "wrong"), 401),
                (login("root", "s3cret"), 401),
                (good, 200),
                (good, 200),
            ):
                async with client.post(served.url, data="hello" * 500_000, headers=headers) as answer:
                    assert answer.status == status
                    assert (await answer.json() == {"got": 2_500_000}) if status == 200 else (await answer.text() == "")
            assert (served.counter.connections, served.counter.requests) == (1, 5)

    asyncio.run(scenario())


def test_stop_closes_kept_connections_and_frees_the_address(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with front(tmp_path) as (served, client):
            async with client.get(served.url) as answer:
                await answer.read()
            await served.server.stop()
            with pytest.raises(aiohttp.ClientError):
                await client.get(served.url)
            await served.server.start()
            async with client.get(served.url) as answer:
                assert answer.status == 401

    asyncio.run(scenario())


def test_taken_address_is_an_os_error(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with front(tmp_path) as (served, _):
            with pytest.raises(OSError, match="in use"):
                await ApiServer(served.device, served.lab, RequestCounter(), served._handle).start()

    asyncio.run(scenario())

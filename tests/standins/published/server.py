"""server.py SICK NAME=ADDRESS:PORT...: servers of published services.

One answers HTTP requests, behind the PROXY protocol, with its name and its client's address; the file SICK has the
names of those that answer their health check with 503. One whose name begins with `greeting` says the same unasked,
and expects no PROXY protocol; one whose name begins with `banner` does so as well, and then answers requests.
"""

import asyncio
import ipaddress
import sys
from pathlib import Path

SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"  # PROXY protocol, version 2


async def client_of(reader: asyncio.StreamReader) -> str:
    """Who the balancer says that its client is; fails without the protocol."""
    head = await reader.readexactly(16)
    assert head[:12] == SIGNATURE, "no PROXY protocol"
    rest = await reader.readexactly(int.from_bytes(head[14:16], "big"))
    if head[12] & 15 == 0:
        return "the balancer"
    return str(ipaddress.ip_address(rest[:4] if head[13] >> 4 == 1 else rest[:16]))


async def http(name: str, sick: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        client = await client_of(reader)
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        is_sick = sick.exists() and name in sick.read_text().split()
        code = "503 Sick" if is_sick and "/healthz" in request else "200 OK"
        body = f"{name} {client}\n"
        writer.write(f"HTTP/1.1 {code}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        await writer.drain()
    except (AssertionError, asyncio.IncompleteReadError):
        pass
    writer.close()


async def greet(name: str, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(f"{name} {writer.get_extra_info('peername')[0]}\n".encode())
    writer.close()


async def talk(name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(f"banner of {name}\n".encode())
    try:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"{name} {writer.get_extra_info('peername')[0]}\n".encode())
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def main() -> None:
    sick = Path(sys.argv[1])
    for each in sys.argv[2:]:
        name, _, at = each.partition("=")
        address, _, port = at.rpartition(":")
        if name.startswith("greeting"):
            await asyncio.start_server(lambda *ends, name=name: greet(name, *ends), address, int(port))
        elif name.startswith("banner"):
            await asyncio.start_server(lambda *ends, name=name: talk(name, *ends), address, int(port))
        else:
            await asyncio.start_server(lambda *ends, name=name: http(name, sick, *ends), address, int(port))
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())

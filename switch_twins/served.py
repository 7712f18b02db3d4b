"""The TLS side of a switch's API: at each handshake the certificate that its configuration names at that time.

A change of what the API is served with ends the connections that were open before: nginx, which serves the API on all
three systems, is restarted or loads its configuration again. No vendor says what becomes of a request under way.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Hashable
from dataclasses import replace
from ipaddress import IPv4Address
from weakref import WeakKeyDictionary

from .certificates import LabCertificates
from .spec import DeviceSpec

OWN, SELF_SIGNED = "own", "self-signed"
"""The certificate that the switch had from the beginning, and the one that its OS makes for itself."""


class ServedApi:
    """What one switch's API is served with.

    ``names``: the name of the switch's own certificate in its configuration; ``named``: the name that the running
    configuration has now, None if it names nothing that can be served; ``settings``: all that a connection depends on;
    ``lets_in``: do the lists of the control plane let this client open one?
    """

    def __init__(
        self,
        certificates: LabCertificates,
        device: DeviceSpec,
        own: str,
        named: Callable[[], str | None],
        settings: Callable[[], Hashable],
        lets_in: Callable[[IPv4Address], bool],
    ) -> None:
        self._certificates, self._device = certificates, device
        self._own, self._named, self._settings, self._lets_in = own, named, settings, lets_in
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._since: WeakKeyDictionary[asyncio.BaseTransport, Hashable] = WeakKeyDictionary()

    @property
    def certificate(self) -> str | None:
        """``OWN``, ``SELF_SIGNED`` or the name of a further certificate; None: the one that is named is not there."""
        name = self._named()
        if name == self._own:
            return OWN
        if name is None or name == SELF_SIGNED or name in self._device.certificates:
            return name
        return name if self._certificates.has_installed(self._device, name) else None

    def file(self, name: str) -> bytes | None:
        """A certificate that is on the switch, by its name in the configuration; None: there is none."""
        if name == self._own:
            return self._certificates.server(self._device)[0].read_bytes()
        if name in self._device.certificates or self._certificates.has_installed(self._device, name):
            return self._certificates.server(self._device, name)[0].read_bytes()
        return None

    def as_delivered(self) -> None:
        """Of a factory switch: no certificate was put on it."""
        self._own = ""

    def context(self) -> ssl.SSLContext:
        """For the listener: hands each handshake over to the certificate of that time, or refuses it."""
        listening = self._context(OWN)
        listener = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        listener.minimum_version = listening.minimum_version
        listener.load_cert_chain(*self._certificates.server(self._device))
        listener.sni_callback = self._choose  # called for clients that name no server as well
        return listener

    def is_current(self, transport: asyncio.BaseTransport | None) -> bool:
        """Was this connection opened with the settings of now, or may it be? Lists let go on what is open already."""
        now = self._settings()
        if transport is not None and transport not in self._since and not self._lets_in(_client_of(transport)):
            return False
        return transport is None or self._since.setdefault(transport, now) == now

    def _choose(self, connection: ssl.SSLObject, _name: str | None, _listener: ssl.SSLContext) -> int | None:
        chosen = self.certificate
        if chosen is None:
            return ssl.ALERT_DESCRIPTION_INTERNAL_ERROR
        connection.context = self._context(chosen)
        return None

    def _context(self, chosen: str) -> ssl.SSLContext:
        if chosen not in self._contexts:
            device, name = self._device, "" if chosen in (OWN, SELF_SIGNED) else chosen
            if chosen == SELF_SIGNED:
                device = replace(device, certificate="default")
            self._contexts[chosen] = self._certificates.server_context(device, name)
        return self._contexts[chosen]


def _client_of(transport: asyncio.BaseTransport) -> IPv4Address:
    """Who has opened this connection."""
    return IPv4Address(str(transport.get_extra_info("peername")[0]))

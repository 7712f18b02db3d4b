"""Servers of accounts: what the intent declares of them, in the terms of each OS."""

from collections.abc import Iterator

from nornir_tasks.design.config.aaa import Radius, Tacacs
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.secret_name import placeholder
from nornir_tasks.intent.keys.aaa import RadiusIntent, TacacsIntent
from nornir_tasks.intent.keys.account import secret_on
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.intent.keys.site import Intent


def tacacs_within(base: BaseIntent, vrf: str | None, capabilities: Capabilities) -> Tacacs | None:
    """On this OS; ``vrf``: its name for the management VRF. One without a key for it is refused before (``check``)."""
    found = base.aaa and base.aaa.tacacs
    key = found and secret_on(capabilities.os, found.key)
    return Tacacs(tuple(map(str, found.servers)), vrf, placeholder(key)) if found and key else None


def radius_within(base: BaseIntent, vrf: str | None, capabilities: Capabilities) -> Radius | None:
    """The same of RADIUS; a timeout that the system has by itself is none."""
    found = base.aaa and base.aaa.radius
    key = found and secret_on(capabilities.os, found.key)
    if not found or not key:
        return None
    hidden = capabilities.account_facts.hidden_radius_timeout_s
    timeout_s = None if found.timeout_s == hidden else found.timeout_s
    return Radius(tuple(map(str, found.servers)), vrf, placeholder(key), timeout_s)


def kinds(base: BaseIntent | None) -> Iterator[tuple[str, TacacsIntent | RadiusIntent]]:
    """The key of the intent and the servers of each kind that is declared."""
    aaa = base and base.aaa
    for kind, found in (("tacacs", aaa.tacacs), ("radius", aaa.radius)) if aaa else ():
        if found is not None:
            yield kind, found


def check(intent: Intent, network: Network) -> None:
    """Raises DesignError for keys that are named for some systems and not for others that have switches."""
    found = tuple(dict.fromkeys(_findings(intent, network)))
    if found:
        raise DesignError(intent.marks.problems(found))


def _findings(intent: Intent, network: Network) -> Iterator[Finding]:
    for device in network.devices:
        for kind, servers in kinds(network.base.get(device.fabric)):
            if secret_on(device.os, servers.key) is None:
                yield _without_a_key(intent, device, kind, servers)


def _without_a_key(intent: Intent, device: Device, kind: str, found: TacacsIntent | RadiusIntent) -> Finding:
    is_own = intent.has_own_base(device.fabric)
    path = ("fabrics", device.fabric, "base") if is_own else ("base",)
    known = ", ".join(found.key)
    expected = f"a secret for {device.os} as well"
    return Finding((*path, "aaa", kind, "key"), "no key for a system of its switches", expected, known)

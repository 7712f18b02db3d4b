"""Servers of accounts: what the intent declares of them, in the terms of each OS."""

from collections.abc import Iterator

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.config.aaa import Tacacs
from nornir_tasks.design.network import Device, Network
from nornir_tasks.design.partial_config import BasePolicy, TacacsPolicy
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.base_model import BaseIntent
from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.model import Intent
from nornir_tasks.intent.secret_name import placeholder


def policy(base: BaseIntent) -> TacacsPolicy | None:
    """In neutral terms; None: not managed."""
    if base.aaa is None:
        return None
    found = base.aaa.tacacs
    keys = tuple((system, secret.name) for system, secret in found.key.items())
    return TacacsPolicy(tuple(map(str, found.servers)), keys)


def within(base: BasePolicy, vrf: str | None, capabilities: Capabilities) -> Tacacs | None:
    """On this OS; ``vrf``: its name for the management VRF. One without a key for it is refused before (``check``)."""
    name = base.tacacs and base.tacacs.key_on(capabilities.os)
    return Tacacs(base.tacacs.servers, vrf, placeholder(name)) if base.tacacs and name else None


def check(intent: Intent, network: Network) -> None:
    """Raises DesignError for keys that are named for some systems and not for others that have switches."""
    found = tuple(dict.fromkeys(_findings(intent, network)))
    if found:
        raise DesignError(intent.marks.problems(found))


def _findings(intent: Intent, network: Network) -> Iterator[Finding]:
    for device in network.devices:
        base = network.base.get(device.fabric)
        if base is not None and base.tacacs is not None and base.tacacs.key_on(device.os) is None:
            yield _without_a_key(intent, device, base.tacacs)


def _without_a_key(intent: Intent, device: Device, found: TacacsPolicy) -> Finding:
    is_own = intent.fabrics[device.fabric].base is not None
    path = ("fabrics", device.fabric, "base") if is_own else ("base",)
    known = ", ".join(system for system, _ in found.keys)
    expected = f"a secret for {device.os} as well"
    return Finding((*path, "aaa", "tacacs", "key"), "no key for a system of its switches", expected, known)

"""Local accounts: what the intent declares of them, in the terms of each OS."""

from collections.abc import Iterator

from nornir_tasks.design.config.accounts import Account
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.secret_name import placeholder
from nornir_tasks.intent.keys.account import AccountIntent, secret_on
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.intent.keys.site import Intent


def within(base: BaseIntent, capabilities: Capabilities) -> tuple[Account, ...]:
    """On this OS. An account without a hash for it is refused before (:func:`check`)."""
    named = ((name, each.role, secret_on(capabilities.os, each.hash)) for name, each in (base.accounts or {}).items())
    return tuple(Account(name, role, placeholder(secret)) for name, role, secret in named if secret is not None)


def kept(base: BaseIntent | None, capabilities: Capabilities) -> frozenset[str]:
    """Accounts that stay as they are, though accounts are managed: the system does not do without them."""
    if base is None or base.accounts is None:
        return frozenset()
    return capabilities.account_facts.kept - base.accounts.keys()


def check(intent: Intent, network: Network) -> None:
    """Raises DesignError for accounts that name no hash for a system that switches of theirs have."""
    found = tuple(dict.fromkeys(_findings(intent, network)))
    if found:
        raise DesignError(intent.marks.problems(found))


def _findings(intent: Intent, network: Network) -> Iterator[Finding]:
    for device in network.devices:
        base = network.base.get(device.fabric)
        for name, account in ((base and base.accounts) or {}).items():
            if secret_on(device.os, account.hash) is None:
                yield _without_a_hash(intent, device, name, account)


def _without_a_hash(intent: Intent, device: Device, name: str, account: AccountIntent) -> Finding:
    is_own = intent.has_own_base(device.fabric)
    path = ("fabrics", device.fabric, "base") if is_own else ("base",)
    found = ", ".join(account.hash)
    expected = f"a secret for {device.os} as well"
    return Finding((*path, "accounts", name, "hash"), "no hash for a system of its switches", expected, found)

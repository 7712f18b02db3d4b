"""Local accounts: what the intent declares of them, in the terms of each OS."""

from collections.abc import Iterator

from nornir_tasks.design.config.accounts import Account
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import AccountPolicy, BasePolicy
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.secret_name import placeholder
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.intent.keys.site import Intent


def policy(base: BaseIntent) -> tuple[AccountPolicy, ...] | None:
    """In neutral terms; None: not managed."""
    if base.accounts is None:
        return None
    return tuple(
        AccountPolicy(name, each.role, tuple((system, secret.name) for system, secret in each.hash.items()))
        for name, each in base.accounts.items()
    )


def within(base: BasePolicy, capabilities: Capabilities) -> tuple[Account, ...]:
    """On this OS. An account without a hash for it is refused before (:func:`check`)."""
    named = ((each, each.hash_on(capabilities.os)) for each in base.accounts or ())
    return tuple(Account(each.name, each.role, placeholder(name)) for each, name in named if name is not None)


def kept(base: BasePolicy | None, capabilities: Capabilities) -> frozenset[str]:
    """Accounts that stay as they are, though accounts are managed: the system does not do without them."""
    if base is None or base.accounts is None:
        return frozenset()
    return capabilities.account_facts.kept - {each.name for each in base.accounts}


def check(intent: Intent, network: Network) -> None:
    """Raises DesignError for accounts that name no hash for a system that switches of theirs have."""
    found = tuple(dict.fromkeys(_findings(intent, network)))
    if found:
        raise DesignError(intent.marks.problems(found))


def _findings(intent: Intent, network: Network) -> Iterator[Finding]:
    for device in network.devices:
        base = network.base.get(device.fabric)
        for account in (base and base.accounts) or ():
            if account.hash_on(device.os) is None:
                yield _without_a_hash(intent, device, account)


def _without_a_hash(intent: Intent, device: Device, account: AccountPolicy) -> Finding:
    is_own = intent.has_own_base(device.fabric)
    path = ("fabrics", device.fabric, "base") if is_own else ("base",)
    found = ", ".join(system for system, _ in account.hashes)
    expected = f"a secret for {device.os} as well"
    return Finding((*path, "accounts", account.name, "hash"), "no hash for a system of its switches", expected, found)

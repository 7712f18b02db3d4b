"""One transaction on one switch, without a journal."""

from dataclasses import dataclass, field

from nornir_tasks.deploy.ledger import Ledger
from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.deploy.plan_one_switch import Rules, timer_s
from nornir_tasks.deploy.transaction import Opener, Transaction
from nornir_tasks.deploy.wanted import Wanted


@dataclass
class Noted:
    """Keeps in memory what a journal would; ``dead`` candidates are given by the test."""

    name: str = ""
    dead: frozenset[str] = frozenset()
    calls: list[tuple[str, object]] = field(default_factory=list)

    def started(self, plan: DevicePlan) -> None:
        self.calls.append(("started", plan.device))

    def staged(self, token: str) -> None:
        self.calls.append(("staged", token))

    def committed(self, timer_s: int | None) -> None:
        self.calls.append(("committed", timer_s))

    def dropped(self, tokens: frozenset[str] | None) -> None:
        self.calls.append(("dropped", tokens))


def transaction(
    opener: Opener, wanted: Wanted, rules: Rules | None = None, noted: Noted | None = None, ledger: Ledger | None = None
) -> Transaction:
    """What a push does on this switch."""
    rules = rules or Rules()
    ledger = ledger or Ledger({wanted.device: timer_s(wanted.capabilities, rules)})
    return Transaction(opener, wanted, rules, ledger, noted or Noted())

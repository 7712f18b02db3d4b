"""NX-OS lines of local accounts: ``username``."""

import re

from nornir_tasks.design.config.accounts import Account
from nornir_tasks.intent.core.secret_name import PLACEHOLDER
from nornir_tasks.platforms.lines import row


def _account(found: re.Match[str]) -> Account:
    return Account(found[1], "admin" if found[3] == "admin" else "operator", found[2])


# a running configuration of 9.3(10): two spaces before the role (tests/corpus/nxos)
ACCOUNT = row(
    rf"username (\S+) password 5 ({PLACEHOLDER})  role network-(admin|operator)",
    "accounts",
    _account,
    many=True,
    single=r"username (\S+) password",
)

"""EOS lines of local accounts: ``username``."""

import re

from nornir_tasks.design.config.accounts import Account
from nornir_tasks.intent.core.secret_name import PLACEHOLDER
from nornir_tasks.platforms.lines import row


def _account(found: re.Match[str]) -> Account:
    return Account(found[1], "admin" if found[2] == "15" else "operator", found[3])


# pyavd 6.4.0 eos__local_users; an account has one line with its password, and lines of SSH keys beside it
ACCOUNT = row(
    rf"username (\S+) privilege (15(?= role network-admin )|1(?= role network-operator )) role \S+"
    rf" secret sha512 ({PLACEHOLDER})",
    "accounts",
    _account,
    many=True,
    single=r"username (\S+)(?! ssh-key )",
    # arista.eos (ansible 12.3.0) eos_user: an account goes by its name, with all its lines; a key without its text
    negation=(r"(username \S+(?: ssh-key(?= ))?) .*", r"no \1"),
)

"""NVUE data of local accounts: ``system.aaa.user``."""

from nornir_tasks.design.config.accounts import Account, Role
from nornir_tasks.platforms.nvue.reading import Data, entries, take_text

_ROLES: dict[str, Role] = {"system-admin": "admin", "nvue-monitor": "operator"}
_AT = ("system", "aaa", "user")


def parse_accounts(data: Data) -> tuple[Account, ...]:
    """Accounts with a hash and a role of ours alone; any other stays in the data."""
    found = []
    for name, settings in entries(data, *_AT):
        role = _ROLES.get(str(settings.get("role")))
        if settings.keys() != {"hashed-password", "role"} or role is None:
            continue
        take_text(data, *_AT, name, "role")
        hashed = take_text(data, *_AT, name, "hashed-password")
        if hashed is not None:
            found.append(Account(name, role, hashed))
    return tuple(found)

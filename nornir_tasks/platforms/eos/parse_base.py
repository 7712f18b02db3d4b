"""EOS lines of base configuration."""

from nornir_tasks.design.config.base import Base, Server
from nornir_tasks.platforms.eos.parse_accounts import ACCOUNT
from nornir_tasks.platforms.lines import Fields, row, text


def _vrf(name: str) -> str | None:
    return None if name == "default" else name


BASE_ROWS = (
    row(r"hostname (\S+)", "hostname", text, single="hostname"),
    row(
        r"ip name-server vrf (\S+) ([0-9a-f:.]+)",
        "name_servers",
        lambda found: Server(found[2], _vrf(found[1])),
        many=True,
    ),
    row(r"dns domain (\S+)", "domain", text, single="dns domain"),
    *(
        row(rf"{line} ([0-9a-f:.]+)", name, lambda found: Server(found[2], found[1]), many=True)
        for name, line in (
            ("time_servers", r"ntp server(?: vrf (\S+))?"),
            ("log_servers", r"logging (?:vrf (\S+) )?host"),
        )
    ),
    ACCOUNT,
)
"""Lines at the top."""


def base_of(fields: Fields) -> Base:
    """What these lines say."""
    return Base(
        hostname=fields.get("hostname"),
        name_servers=tuple(fields.get("name_servers", ())),
        domain=fields.get("domain"),
        time_servers=tuple(fields.get("time_servers", ())),
        log_servers=tuple(fields.get("log_servers", ())),
        accounts=tuple(fields.get("accounts", ())),
    )

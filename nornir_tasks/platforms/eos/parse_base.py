"""EOS lines of base configuration."""

from nornir_tasks.design.config.base import Base, Server
from nornir_tasks.platforms.lines import Fields, row, text

BASE_ROWS = (
    row(r"hostname (\S+)", "hostname", text, single="hostname"),
    *(
        row(rf"{line} ([0-9a-f:.]+)", name, lambda found: Server(found[2], found[1]), many=True)
        for name, line in (
            ("time_servers", r"ntp server(?: vrf (\S+))?"),
            ("log_servers", r"logging (?:vrf (\S+) )?host"),
        )
    ),
)
"""Lines at the top."""


def base_of(fields: Fields) -> Base:
    """What these lines say."""
    return Base(
        hostname=fields.get("hostname"),
        time_servers=tuple(fields.get("time_servers", ())),
        log_servers=tuple(fields.get("log_servers", ())),
    )

"""NX-OS lines of base configuration."""

from nornir_tasks.design.config.base import Base, Server
from nornir_tasks.platforms.lines import Fields, row, text

BASE_ROWS = (
    row(r"hostname (\S+)", "hostname", text, single="hostname"),
    *(
        row(line, name, lambda found: Server(found[1], None if found[2] == "default" else found[2]), many=True)
        for name, line in (
            ("time_servers", r"ntp server ([0-9a-f:.]+) use-vrf (\S+)"),
            ("log_servers", r"logging server ([0-9a-f:.]+) 5 use-vrf (\S+)"),
        )
    ),
)
"""Lines at the top."""


def base_of(values: Fields) -> Base:
    """What these lines say."""
    return Base(
        hostname=values.get("hostname"),
        time_servers=tuple(values.get("time_servers", ())),
        log_servers=tuple(values.get("log_servers", ())),
    )

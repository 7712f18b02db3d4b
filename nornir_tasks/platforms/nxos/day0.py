"""NX-OS at first boot: PowerOn Auto Provisioning (docs/day0.md)."""

import hashlib
import re

from nornir_tasks.platforms.first_boot import Dhcp, FirstBootFacts

_MD5_LINE = re.compile(r"^#md5sum=.*\n", re.MULTILINE)


def with_md5(script: str) -> str:
    """A POAP script with its second line: the MD5 of all others, which NX-OS compares."""
    rest = _MD5_LINE.sub("", script)
    digest = hashlib.md5(rest.encode(), usedforsecurity=False).hexdigest()
    return _MD5_LINE.sub(f'#md5sum="{digest}"\n', script, count=1)


FIRST_BOOT = FirstBootFacts(
    "nxos.py.j2",
    "nxos.cfg.j2",
    ".py",
    ".cfg",
    "5",
    "X-Vendor-Serial",
    Dhcp(67, sends_serial=True, server_name=True),
    finish=with_md5,
)

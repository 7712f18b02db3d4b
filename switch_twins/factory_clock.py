"""The clock of a factory switch, which may be years off: a battery that is flat, or one that was set wrong.

Certificates are judged by it. Programs of this machine have this machine's clock, so ``curl`` on a factory switch
first judges its server's certificate by the switch's own, in the words of curl; POAP's Python does so by
``sitecustomize.py`` (``nxos/first_boot.py``), which reads the clock from a file.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509

_SET = re.compile(r"@(\d{1,10})")
_PROGRAMS = {
    "curl": 'lab curl "$@" || exit 60\nexec /usr/bin/curl "$@"\n',
    "date": 'case " $* " in\n*" -d "*) exec /bin/date "$@" ;;\nesac\nlab date "$@"\n',
}


class ClockError(Exception):
    """What a program says that cannot go on with this clock, or does not know its arguments."""


class FactoryClock:
    """Seconds since 1970, as the switch believes."""

    programs = tuple(_PROGRAMS)

    def __init__(self, off_s: float) -> None:
        self._kept_off_s = self._off_s = off_s
        self._file: Path | None = None

    def power_up(self) -> None:
        """Begin with what the battery has kept, as at every attempt to boot for the first time."""
        self._off_s = self._kept_off_s

    def now_s(self) -> float:
        """What time it is there."""
        return time.time() + self._off_s

    def set(self, seconds: float) -> str:
        """Set it; what a switch prints then."""
        self._off_s = seconds - time.time()
        self._write()
        return datetime.fromtimestamp(self.now_s(), UTC).strftime("%a %b %d %H:%M:%S %Y\n")

    def set_by(self, text: str, form: str) -> str:
        """Set it by a text of this form (``strptime``), in UTC."""
        try:
            return self.set(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp())
        except ValueError as error:
            raise ClockError(f"no such time: {text}") from error

    def keep_in(self, file: Path) -> None:
        """Keep how far off it is in this file from now on, for processes that cannot ask."""
        self._file = file
        self._write()

    def _write(self) -> None:
        if self._file is not None:
            self._file.write_text(f"{self._off_s}\n")

    @classmethod
    def program(cls, name: str, command: str) -> str:
        """The shell script of a program that depends on the clock; ``command`` asks the lab's process."""
        return _PROGRAMS[name].replace("lab ", f"{command} ", 1)

    async def call(self, program: str, arguments: list[str]) -> str:
        """One of these programs was called. Raises ClockError with what it prints if it fails."""
        if program == "date":
            found = _SET.fullmatch(arguments[-1]) if arguments[:2] == ["-u", "-s"] else None
            if found is None:
                raise ClockError(f"date: no such arguments: {' '.join(arguments)}")
            return self.set(int(found[1]))
        url = next((each for each in arguments if each.startswith("https://")), None)
        if url is not None and "--insecure" not in arguments:
            await asyncio.to_thread(self._judge, url)
        return ""

    def _judge(self, url: str) -> None:
        parts = urlsplit(url)
        try:
            shown = ssl.get_server_certificate((parts.hostname or "", parts.port or 443), timeout=20)
        except OSError:
            return  # curl itself says so
        certificate = x509.load_pem_x509_certificate(shown.encode())
        if self.now_s() < certificate.not_valid_before_utc.timestamp():
            raise ClockError("curl: (60) SSL certificate problem: certificate is not yet valid")
        if self.now_s() > certificate.not_valid_after_utc.timestamp():
            raise ClockError("curl: (60) SSL certificate problem: certificate has expired")

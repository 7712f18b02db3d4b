"""What Cumulus Linux counts, port by port: several at a time, each with as few requests as the switch lets us.

The answer for all ports leaves counters out ("Bulk ``nv show interface -o json`` omits counter leaves": document
62146039665, NVIDIA's own tests). ``include`` takes several pointers (NVUE-API.md), so a port is asked for all parts at
once; no page says that its answer has them all, so what it leaves out is asked for alone, and the switch's next ports
are asked for that alone from the start.
"""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nornir_tasks.drivers.nvue_client import NvueClient
from nornir_tasks.errors import AuthError, DeviceError, TrustError
from nornir_tasks.platforms.counted import Counter
from nornir_tasks.platforms.nvue.counters import OF_SWITCH, PORTS, Path, lacking, put
from nornir_tasks.platforms.nvue.reading import look

AT_ONCE = 4
"""How many ports are asked at a time where a switch does not tell of all in one answer: an API of few workers serves
other clients besides."""
MOST_FAILED = 2 * AT_ONCE
"""Ports without a usable answer after which the switch itself is taken not to answer: chosen; each may wait for its
timeout."""


class PortCounters:
    """Reads of one switch what its answer for all ports lacks."""

    def __init__(self, client: NvueClient) -> None:
        self._client = client
        self._apart: set[Path] = set()
        """Parts that a port's own answer leaves out though the switch has them."""
        self._nowhere: set[Path] = set()
        """Parts that are there for all ports or for none, and were not there for one."""
        self._failed: list[DeviceError] = []

    def complete(self, ports: dict[str, Any], wanted: Collection[Counter]) -> None:
        """Put what is lacking in its place. Of a port whose answer is of no use the reason takes the place of all.

        Raises DeviceError if ``MOST_FAILED`` ports have none, or none has one.
        """
        alone = lacking(ports, wanted)
        if not alone:
            return
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = pool.map(self._tried, alone, alone.values())
            for port, answer in zip(alone, answers, strict=True):
                if isinstance(answer, str):
                    ports[port] = answer
                    continue
                for path, found in answer.items():
                    put(ports, port, path, found)
        if len(self._failed) == len(alone):
            raise self._failed[0]

    def _tried(self, port: str, paths: tuple[Path, ...]) -> dict[Path, dict[str, Any]] | str:
        """One port's parts; or, as words, why there are none."""
        if len(self._failed) >= MOST_FAILED:
            raise self._failed[0]
        try:
            return self._read(port, paths)
        except (AuthError, TrustError):
            raise
        except DeviceError as error:
            self._failed.append(error)
            problem = error.problems[0]
            return "; ".join(filter(None, (problem.what, problem.found)))

    def _read(self, port: str, paths: tuple[Path, ...]) -> dict[Path, dict[str, Any]]:
        left = [path for path in paths if path not in self._nowhere]
        together = [path for path in left if path not in self._apart]
        is_worth_it = len(together) > 1
        pointers = ["/" + "/".join(path) for path in together]
        answer = self._client.live(PORTS, port, include=pointers) if is_worth_it else {}
        found = {path: part for path in together if (part := look(answer, *path))}
        for path in (each for each in left if each not in found):
            if part := self._client.live(PORTS, port, *path):
                found[path] = part
                if is_worth_it and path in together:
                    self._apart.add(path)
            elif path in OF_SWITCH:
                self._nowhere.add(path)
        return found

"""A port beside a switch's that passes all on, until it is told to lose the next answer, or all from then on."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Cutter:
    """Between a client and a switch. The switch has carried out whatever was asked when its answer is lost."""

    target: tuple[str, int]
    lose_next: bool = False
    lose_all: bool = False
    passing: int = 0
    """So many answers pass before the next one is lost, or all are."""
    is_silent: bool = False
    """A lost answer leaves the connection open: the client waits until its time is over."""
    lost: int = 0
    listener: socket.socket = field(init=False)

    def __post_init__(self) -> None:
        self.listener = socket.create_server((self.target[0], 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if self.lose_all and not self.passing:
                near.close()
                continue
            far = socket.create_connection(self.target, timeout=30)
            threading.Thread(target=self._pump, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, True), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if answers and (self.lose_next or self.lose_all):
                    if self.passing:
                        self.passing -= 1
                    else:
                        self.lose_next = False
                        self.lost += 1
                        if self.is_silent:
                            continue
                        break
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def cutting(address: str, port: int) -> Iterator[Cutter]:
    """One for a test."""
    made = Cutter((address, port))
    try:
        yield made
    finally:
        made.listener.close()

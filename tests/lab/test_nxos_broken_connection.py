"""A replace may take the API away for a moment: the session comes back by itself, and takes no break for success."""

import hashlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from described_lab import LabDescription, RunningLab

from nornir_tasks.drivers import nxos
from nornir_tasks.drivers.session import Endpoint, Fate
from nornir_tasks.errors import ConnectError
from nornir_tasks.platforms.nxos import PLATFORM
from nornir_tasks.platforms.ownership import join, split
from tests.unit.platforms.nxos_examples import claims, leaf, rendered

CONFIG = leaf()


@dataclass
class Forwarder:
    """Forwards TCP to one address, and breaks the connection at the next answer, or the next request, if told to."""

    target: tuple[str, int]
    break_on_answer: bool = False
    break_on_request: bool = False
    break_after: int | None = None
    """Break when this many answers have passed."""
    listener: socket.socket = field(init=False)

    def __post_init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target, timeout=10)
            threading.Thread(target=self._pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, True), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, answers: bool) -> None:
        try:
            while data := source.recv(65536):
                if (answers and self.break_on_answer) or (not answers and self.break_on_request):
                    self.break_on_answer = self.break_on_request = False
                    break
                if answers and self.break_after is not None:
                    if self.break_after == 0:
                        break
                    self.break_after -= 1
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)  # close() alone would not wake the thread that reads the other way
            end.close()

    def close(self) -> None:
        self.listener.close()


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("nxos-break") / "lab")
    ports = [f"Ethernet1/{number}" for number in range(1, 37)]
    description.add_device("leaf-g0-r1", "nxos", asic=CONFIG.asic, asn=4200000002, ports=ports)
    return start_module_lab(description)


@pytest.fixture
def path(lab: RunningLab) -> Iterator[Forwarder]:
    device = lab.description.devices[0]
    made = Forwarder((device["address"], device["api_port"]))
    yield made
    made.close()


@pytest.fixture
def endpoint(lab: RunningLab, path: Forwarder, tmp_path: Path) -> Iterator[Endpoint]:
    device = lab.description.devices[0]
    ssh = Forwarder((device["address"], device["ssh_port"]))
    known_hosts = tmp_path / "known_hosts"
    keys = [
        line.split(" ", 1)[1] for line in Path(lab.known_hosts).read_text().splitlines() if device["address"] in line
    ]
    known_hosts.write_text("".join(f"[127.0.0.1]:{ssh.port} {key}\n" for key in keys))
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((device["address"], device["api_port"]), timeout=5) as raw,
        context.wrap_socket(raw) as secured,
    ):
        certificate = secured.getpeercert(binary_form=True)
    assert certificate is not None
    yield Endpoint(
        device="leaf-g0-r1",
        address="127.0.0.1",
        api_port=path.port,
        ssh_port=ssh.port,
        username=lab.description.username,
        password=lab.description.password,
        ca_file=None,
        fingerprint=hashlib.sha256(certificate).hexdigest(),
        known_hosts=known_hosts,
        timeout_s=10,
    )
    ssh.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nxos, "RECONNECT_S", 1.0)
    monkeypatch.setattr(nxos, "RECONNECT_PAUSE_S", 0.1)


def staged(endpoint: Endpoint, seed: int) -> tuple[nxos.NxosSession, str]:
    """A session with a change waiting, and its token: another hash seed than the one that runs."""
    opened = nxos.session(endpoint)
    running = PLATFORM.to_tree(opened.read().text)
    assert CONFIG.hashing is not None
    config = replace(CONFIG, hashing=replace(CONFIG.hashing, seed=seed))
    parts = split(running, PLATFORM.ownership, claims(config))
    owned = join(part for owner, part in parts.items() if owner is not None)
    made = PLATFORM.candidate(running, owned, PLATFORM.canonical(PLATFORM.to_tree(rendered(config))))
    assert made.changes
    return opened, opened.stage(made).token


def seed_of(opened: nxos.NxosSession) -> str:
    lines = opened.read().text.splitlines()
    return next((line.split()[-1] for line in lines if line.startswith("ip load-sharing")), "")


def test_a_change_that_took_the_connection_along_is_found_done(path: Forwarder, endpoint: Endpoint) -> None:
    opened, token = staged(endpoint, seed=11)
    real = opened._api.batch

    def breaking(commands, timeout_s=None):  # type: ignore[no-untyped-def]
        path.break_on_answer = "commit-timeout" in commands[0].line
        return real(commands, timeout_s)

    opened._api.batch = breaking  # type: ignore[method-assign]
    with pytest.raises(ConnectError):
        opened.commit(60)
    assert opened.fate(token) is Fate.WAITING
    assert seed_of(opened) == "11"
    opened.confirm(token)
    opened.close()


def test_a_break_before_the_switch_heard_of_it_is_no_success(path: Forwarder, endpoint: Endpoint) -> None:
    opened, token = staged(endpoint, seed=12)
    before = seed_of(opened)
    real = opened._api.batch

    def breaking(commands, timeout_s=None):  # type: ignore[no-untyped-def]
        path.break_on_request = "commit-timeout" in commands[0].line
        return real(commands, timeout_s)

    opened._api.batch = breaking  # type: ignore[method-assign]
    with pytest.raises(ConnectError):
        opened.commit(60)
    assert opened.fate(token) is Fate.GONE
    assert seed_of(opened) == before
    opened.close()


def test_a_switch_that_never_comes_back_is_a_connect_error(path: Forwarder, endpoint: Endpoint) -> None:
    opened, _ = staged(endpoint, seed=13)
    real = opened._api.batch

    def breaking(commands, timeout_s=None):  # type: ignore[no-untyped-def]
        if "commit-timeout" in commands[0].line:
            path.close()
            path.break_on_request = True
        return real(commands, timeout_s)

    opened._api.batch = breaking  # type: ignore[method-assign]
    with pytest.raises(ConnectError):
        opened.commit(60)
    opened.close()


def test_napalms_own_getters_share_the_connection(lab: RunningLab, endpoint: Endpoint) -> None:
    opened = nxos.session(endpoint)
    before = lab.control.ask("requests")["leaf-g0-r1"]["connections"]
    opened.open()
    assert opened.get_facts()["hostname"] == "leaf-g0-r1"
    assert "global" in opened.get_bgp_neighbors()
    assert opened.get_interfaces()
    assert lab.control.ask("requests")["leaf-g0-r1"]["connections"] == before + 1
    opened.close()


@pytest.mark.parametrize("passed", [1, 3, 8])
def test_a_copy_of_the_candidate_that_is_cut_is_a_connection_lost_and_no_fault_of_ours(
    lab: RunningLab, endpoint: Endpoint, tmp_path: Path, passed: int
) -> None:
    """After so many answers of SSH: amid the handshake, the login, the copy."""
    device = lab.description.devices[0]
    ssh = Forwarder((device["address"], device["ssh_port"]))
    ssh.break_after = passed
    assert endpoint.known_hosts is not None
    known = endpoint.known_hosts.read_text().replace(str(endpoint.ssh_port), str(ssh.port))
    (tmp_path / "known").write_text(known)
    opened = nxos.session(replace(endpoint, ssh_port=ssh.port, known_hosts=tmp_path / "known"))
    running = PLATFORM.to_tree(opened.read().text)
    made = PLATFORM.candidate(running, running, PLATFORM.to_tree("hostname other"))
    with pytest.raises(ConnectError, match="leaf-g0-r1") as lost:
        opened.stage(made)
    assert lost.value.problems[0].hint
    opened.close()
    ssh.close()

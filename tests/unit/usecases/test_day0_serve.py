"""nornir day0 serve on loopback: by token, one certificate for each, and refusals that change nothing."""

import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from nornir_tasks.errors import IntentError, LabError, LocalError
from nornir_tasks.lab.day0.desk import Handed
from nornir_tasks.usecases.day0 import Day0, write
from nornir_tasks.usecases.day0_serve import Served, serve
from tests.unit.usecases.day0_site import SWITCHES, prepared, write_site

CHOSEN = (",".join(SWITCHES.values()),)
LEAF, SPINE = SWITCHES["eos"], SWITCHES["nvue"]


@dataclass
class Running:
    """A server of this test, and what it said."""

    day0: Day0
    folder: Path
    seen: list[Handed] = field(default_factory=list)
    ended: list[Served] = field(default_factory=list)

    def ask(self, switch: str, what: str, body: bytes | None = None, *, first: bool = False, **headers: str) -> bytes:
        return self.ask_by(self.day0.secrets[switch].token, what, body, first=first, **headers)

    def ask_by(self, token: str, what: str, body: bytes | None = None, *, first: bool = False, **headers: str) -> bytes:
        server = self.day0.server
        url = f"{server.boot_url if first else server.url}/{token}/{what}"
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        trust = None if first else ssl.create_default_context(cadata=server.authority)
        with urllib.request.urlopen(urllib.request.Request(url, body, named), timeout=10, context=trust) as answer:
            return answer.read()

    def refusal(self, *args: object, **more: object) -> tuple[int, str]:
        with pytest.raises(urllib.error.HTTPError) as caught:
            self.ask(*args, **more)  # type: ignore[arg-type]
        return caught.value.code, caught.value.read().decode()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))
    return write_site(tmp_path / "site")


@pytest.fixture
def running(site: Path, tmp_path: Path) -> Iterator[Running]:
    day0 = prepared(site, limit=CHOSEN)
    write(day0, tmp_path / "out")
    with served(day0, tmp_path / "out") as made:
        yield made


@contextmanager
def served(day0: Day0, folder: Path) -> Iterator[Running]:
    made, stop = Running(day0, folder), threading.Event()
    thread = threading.Thread(
        target=lambda: made.ended.append(serve(day0, folder, 60.0, made.seen.append, stop)), daemon=True
    )
    thread.start()
    _until_it_answers(made)
    try:
        yield made
    finally:
        stop.set()
        thread.join(10)
        assert not thread.is_alive()


def _until_it_answers(made: Running) -> None:
    for _ in range(200):
        try:
            made.ask_by("nobody", "boot", first=True)
        except urllib.error.HTTPError:
            made.seen.clear()
            return
        except OSError:
            threading.Event().wait(0.05)
    raise AssertionError("the server does not listen")


def request_of(name: str, make: Callable[[], object] = lambda: ec.generate_private_key(ec.SECP256R1())) -> bytes:
    key = make()
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)  # type: ignore[arg-type]


def serial(running: Running, name: str) -> str:
    return running.day0.secrets[name].identity


def test_a_switch_gets_its_script_its_configuration_and_one_certificate(running: Running) -> None:
    script = running.ask(LEAF, "boot", first=True, X_Arista_Serial=serial(running, LEAF)).decode()
    config = running.ask(LEAF, "config")
    assert running.day0.secrets[LEAF].token in script
    assert b"hostname leaf-g1-r0" in config
    issued = x509.load_pem_x509_certificate(
        running.ask(LEAF, "enrol", request_of(LEAF), X_Serial=serial(running, LEAF))
    )
    names = issued.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [LEAF]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["192.0.2.11"]
    authority = x509.load_pem_x509_certificate(running.day0.authority.read_bytes())
    issued.verify_directly_issued_by(authority)


def test_a_token_that_was_used_opens_nothing_any_more(running: Running) -> None:
    running.ask(LEAF, "enrol", request_of(LEAF), X_Serial=serial(running, LEAF))
    for what, body in (("boot", None), ("config", None), ("enrol", request_of(LEAF))):
        assert running.refusal(LEAF, what, body, X_Serial=serial(running, LEAF)) == (
            403,
            "refused: this token was used\n",
        )
    assert running.ask(SPINE, "config")


def test_a_token_stays_used_when_the_server_is_started_again(running: Running, site: Path, tmp_path: Path) -> None:
    running.ask(LEAF, "enrol", request_of(LEAF), X_Serial=serial(running, LEAF))
    running_again = prepared(site, limit=CHOSEN)
    assert running_again.secrets[LEAF].is_used
    assert not running_again.secrets[SPINE].is_used


def test_two_that_ask_at_the_same_time_with_one_token_get_one_certificate(running: Running) -> None:
    answers: list[int] = []

    def ask() -> None:
        try:
            running.ask(LEAF, "enrol", request_of(LEAF), X_Serial=serial(running, LEAF))
            answers.append(200)
        except urllib.error.HTTPError as error:
            answers.append(error.code)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(answers) == [200] + [403] * 7


def test_another_serial_number_gets_nothing(running: Running) -> None:
    assert running.refusal(LEAF, "boot", first=True, X_Arista_Serial="OTHER")[0] == 403
    status, why = running.refusal(LEAF, "enrol", request_of(LEAF), X_Serial="OTHER")
    assert (status, why) == (403, f"refused: serial number OTHER, expected {serial(running, LEAF)}\n")
    assert running.refusal(LEAF, "enrol", request_of(LEAF))[0] == 403
    assert not prepared(running.day0.design.site.directory, limit=CHOSEN).secrets[LEAF].is_used


def test_a_changed_script_is_handed_to_nobody(running: Running, site: Path, tmp_path: Path) -> None:
    out = tmp_path / "changed"
    day0 = prepared(write_site(tmp_path / "other"), limit=CHOSEN)
    write(day0, out)
    script = out / f"{LEAF}.sh"
    script.write_text(script.read_text() + "reboot\n")
    with served(day0, out) as made:
        status, why = made.refusal(LEAF, "boot", first=True)
        assert (status, f"{LEAF}.sh: changed since it was written" in why) == (403, True)
        assert made.ask(SPINE, "boot", first=True)


def test_over_http_there_is_the_first_file_alone(running: Running) -> None:
    assert running.refusal(LEAF, "config", first=True) == (403, "refused: only over HTTPS\n")
    assert running.refusal(LEAF, "enrol", request_of(LEAF), first=True, X_Serial=serial(running, LEAF))[0] == 403


@pytest.mark.parametrize(
    ("request_for", "why"),
    [
        (lambda: b"nonsense", "not a signing request"),
        (lambda: request_of("another"), "the request is for another"),
        (lambda: request_of(LEAF, lambda: rsa.generate_private_key(65537, 1024)), "too weak"),
    ],
    ids=["no-request", "another-name", "short-key"],
)
def test_a_request_that_is_not_the_switchs_gets_no_certificate(
    running: Running, request_for: Callable[[], bytes], why: str
) -> None:
    status, text = running.refusal(LEAF, "enrol", request_for(), X_Serial=serial(running, LEAF))
    assert status == 400
    assert why in text
    assert running.ask(LEAF, "enrol", request_of(LEAF), X_Serial=serial(running, LEAF))


def test_it_ends_by_itself_when_every_switch_has_its_certificate(running: Running) -> None:
    for name in SWITCHES.values():
        running.ask(name, "enrol", request_of(name), X_Serial=serial(running, name))
    for _ in range(100):
        if running.ended:
            break
        threading.Event().wait(0.05)
    (ended,) = running.ended
    assert (set(ended.enrolled), ended.waiting) == (set(SWITCHES.values()), ())


def test_no_token_is_in_what_the_operator_is_shown(running: Running) -> None:
    running.ask(LEAF, "boot", first=True)
    running.refusal(LEAF, "secret", first=True)
    assert running.seen == [Handed(LEAF, "boot"), Handed(LEAF, "secret", "no such token or file")]
    assert not any(known.token in str(running.seen) for known in running.day0.secrets.values())


def test_it_ends_in_time_though_nobody_asks(site: Path, tmp_path: Path) -> None:
    day0 = prepared(site, limit=CHOSEN)
    write(day0, tmp_path / "out")
    assert set(serve(day0, tmp_path / "out", 0.3).waiting) == set(SWITCHES.values())


def test_it_is_for_loopback_needs_the_ca_s_key_and_a_free_port(tmp_path: Path, running: Running) -> None:
    elsewhere = prepared(write_site(tmp_path / "real", day0="day0: {server: 10.183.0.2, open: true}\n"))
    with pytest.raises(IntentError, match="is for the lab"):
        serve(elsewhere, tmp_path, 1.0)
    with pytest.raises(LabError, match="cannot listen here"):
        serve(running.day0, running.folder, 1.0)
    (running.day0.authority.with_suffix(".key")).unlink()
    with pytest.raises(LocalError, match="the CA's key cannot be used"):
        serve(running.day0, running.folder, 1.0)

"""NvueSession against a server that answers like no lab switch does: what a real one may do on a bad night."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from nornir_tasks.drivers.nvue import NvueSession
from nornir_tasks.drivers.nvue_client import NvueClient
from nornir_tasks.drivers.nvue_ports import AT_ONCE, MOST_FAILED
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.errors import AuthError, CommitError, ConnectError, DeviceError, StageError
from nornir_tasks.platforms.counted import Counter
from nornir_tasks.platforms.platform import Candidate
from switch_twins.certificates import LabCertificates
from switch_twins.spec import DeviceSpec

Script = dict[tuple[str, str], list[tuple[int, object]]]
"""(method, path) -> answers (status, JSON or text), the last of which is repeated."""

TRUNCATED = '{"link": {"stats": {"in-bytes": 7'
"""An answer after which the connection ends, 1,000 characters short of the length that it announced."""
CANDIDATE = Candidate({"delete": (), "patch": {"interface": {"swp1": {"description": "x"}}}}, ())
STAGING: Script = {
    ("GET", "/revision"): [(200, {"1": {"state": "applied"}})],
    ("POST", "/revision"): [(200, {"7": {"state": "pending"}})],
    ("PATCH", "/"): [(200, {})],
    ("GET", "/"): [(200, {})],
    ("PATCH", "/revision/7"): [(200, {"state": "apply"})],
    ("DELETE", "/revision/7"): [(204, "")],
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script
    seen: list[tuple[str, str, str]]

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path = "/" + self.path.partition("?")[0].removeprefix("/nvue_v1/")
        self.seen.append((self.command, path, body))
        answers = self.script.get((self.command, path), [(404, {"detail": "not in the script"})])
        status, answer = answers.pop(0) if len(answers) > 1 else answers[0]
        text = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text) + (answer is TRUNCATED) * 1000))
        self.end_headers()
        self.wfile.write(text)
        if answer is TRUNCATED:
            self.close_connection = True

    do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815 - http.server's names

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def switch(tmp_path: Path) -> Iterator[Callable[[Script], tuple[Endpoint, list[tuple[str, str, str]]]]]:
    """Start a server that follows a script; gives its endpoint and the list of what it was asked."""
    running: list[ThreadingHTTPServer] = []

    def start(script: Script) -> tuple[Endpoint, list[tuple[str, str, str]]]:
        seen: list[tuple[str, str, str]] = []
        handler = type("Handler", (_Handler,), {"script": script, "seen": seen})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        port = server.server_address[1]
        device = DeviceSpec("odd", "nvue", "5.14.0", "SN5600", "spectrum4", "ODD1", "127.0.0.1", port, 22, 1, ())
        certificates = LabCertificates(tmp_path / "ca.pem", tmp_path / "certificates")
        server.socket = certificates.server_context(device).wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        running.append(server)
        return Endpoint("odd", "127.0.0.1", port, 22, "u", "p", tmp_path / "ca.pem", None, None, timeout_s=5.0), seen

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


def test_a_page_that_is_no_json_is_not_taken_for_a_switch(switch) -> None:
    endpoint, _ = switch({("GET", "/"): [(200, "<html>Welcome</html>")]})
    with pytest.raises(ConnectError, match="not NVUE's: no JSON"):
        NvueSession(endpoint).read()


def test_a_redirect_is_not_followed_with_our_credentials(switch) -> None:
    endpoint, seen = switch({("GET", "/"): [(302, {})]})
    with pytest.raises(DeviceError, match="HTTP 302"):
        NvueSession(endpoint).read()
    assert len(seen) == 1


def test_an_apply_that_does_not_wait_for_us_is_reported_and_not_called_a_success(switch) -> None:
    endpoint, _ = switch({**STAGING, ("GET", "/revision/7"): [(200, {"state": "applied"})]})
    session = NvueSession(endpoint)
    session.stage(CANDIDATE)
    with pytest.raises(CommitError, match="did not wait for our confirmation"):
        session.commit(60)


@pytest.mark.parametrize("state", ["invalid", "ays_fail", "apply_error", "verify_error", "ignore_fail"])
def test_an_apply_that_fails_says_why_and_leaves_no_revision(switch, state: str) -> None:
    issue = {"0": {"code": "config_invalid", "message": "BGP requires router-id", "severity": "error"}}
    failed = {"state": state, "transition": {"issue": issue, "progress": ""}}
    endpoint, seen = switch({**STAGING, ("GET", "/revision/7"): [(200, {"state": "checking"}), (200, failed)]})
    session = NvueSession(endpoint)
    session.stage(CANDIDATE)
    with pytest.raises(CommitError, match=f"{state}: BGP requires router-id"):
        session.commit(60)
    assert ("DELETE", "/revision/7", "") in seen


def test_the_timer_is_asked_for_and_the_question_is_not_answered_in_advance(switch) -> None:
    endpoint, seen = switch(
        {**STAGING, ("GET", "/revision/7"): [(200, {"state": "reloading"}), (200, {"state": "confirm"})]}
    )
    session = NvueSession(endpoint)
    session.stage(CANDIDATE)
    assert session.commit(90) == "7"
    body_sent = next(json.loads(body) for method, path, body in seen if (method, path) == ("PATCH", "/revision/7"))
    assert body_sent == {"state": "apply", "auto-prompt": {"ays": "ays_yes"}, "state-controls": {"confirm": 90}}


def test_waiting_for_a_switch_that_never_finishes_ends(switch) -> None:
    endpoint, _ = switch({("GET", "/revision/7"): [(200, {"state": "reloading"})]})
    assert NvueClient(endpoint).settled("7", timeout_s=0.2) == ("reloading", "still 'reloading' after 0.2 s")


def test_a_refused_apply_is_a_commit_error_and_leaves_no_revision(switch) -> None:
    endpoint, seen = switch({**STAGING, ("PATCH", "/revision/7"): [(400, {"detail": "state-controls is not known"})]})
    session = NvueSession(endpoint)
    session.stage(CANDIDATE)
    with pytest.raises(CommitError, match="state-controls is not known"):
        session.commit(60)
    assert ("DELETE", "/revision/7", "") in seen


def test_an_apply_that_a_server_error_answers_may_have_been_carried_out_and_is_no_refusal(switch) -> None:
    endpoint, seen = switch({**STAGING, ("PATCH", "/revision/7"): [(503, "<html>Service Unavailable</html>")]})
    session = NvueSession(endpoint)
    session.stage(CANDIDATE)
    with pytest.raises(ConnectError, match="HTTP 503"):
        session.commit(60)
    assert not any(method == "DELETE" for method, _, _ in seen)


def test_a_patch_that_is_refused_leaves_no_revision(switch) -> None:
    words = {"validation": {"selected_errors": [{"instanceLocation": "/interface/swp1", "error": "unexpected"}]}}
    endpoint, seen = switch({**STAGING, ("PATCH", "/"): [(400, words)]})
    with pytest.raises(StageError, match=r"HTTP 400: /interface/swp1: unexpected"):
        NvueSession(endpoint).stage(CANDIDATE)
    assert ("DELETE", "/revision/7", "") in seen


def test_a_change_that_was_confirmed_but_not_saved_is_saved(switch) -> None:
    endpoint, seen = switch(
        {
            ("GET", "/revision/7"): [(200, {"state": "confirm"}), (200, {"state": "applied"})],
            ("PATCH", "/revision/7"): [(200, {"state": "confirm_yes"})],
            ("PATCH", "/revision/applied"): [(200, {"state": "save"})],
            ("GET", "/revision/applied"): [
                (200, {"state": "applied"}),
                (200, {"state": "saving"}),
                (200, {"state": "saved"}),
            ],
        }
    )
    session = NvueSession(endpoint)
    session.confirm("7")
    session.save()
    assert (
        json.loads(next(body for method, path, body in seen if (method, path) == ("PATCH", "/revision/applied")))[
            "state"
        ]
        == "save"
    )


def test_the_root_of_a_configuration_is_never_deleted(switch) -> None:
    endpoint, seen = switch({})
    with pytest.raises(ValueError, match="never deleted"):
        NvueClient(endpoint).delete("7")
    assert seen == []


UP = {"link": {"oper-status": "up"}}
STATS = {"carrier-transitions": 1, **{f"{way}-{what}": 7 for way in ("in", "out") for what in ("bytes", "pkts")}}
WANTED = {Counter.BYTES_IN, Counter.SYMBOL_ERRORS, Counter.FEC_UNCORRECTED}


def counting(ports: dict[str, object], **scripts: list[tuple[int, object]]) -> Script:
    """A switch whose answer for all ports has no counters; of each port's own answer this is the link."""
    of_all = dict.fromkeys(ports, UP)
    each: Script = {("GET", f"/interface/{name}"): [(200, {"link": link})] for name, link in ports.items()}
    clock = {"uptime": 100, "date-time": {"unix-time": 1e9}}
    others: Script = {("GET", path): answers for path, answers in scripts.items()}
    return {("GET", "/system"): [(200, clock)], ("GET", "/interface"): [(200, of_all)], **each, **others}


LINK = {"stats": STATS, "phy-detail": {"symbol-errors": 0, "effective-errors": 0}}


@pytest.mark.parametrize(
    "answer", [(200, "<html>"), (200, '{"link": {"stats": {"in-by'), (502, "Bad Gateway"), (400, {"detail": "busy"})]
)
def test_an_answer_of_one_port_that_is_of_no_use_fails_that_port_alone(switch, answer: tuple[int, object]) -> None:
    script = counting({f"swp{number}": LINK for number in range(1, 6)})
    script["GET", "/interface/swp3"] = [answer]
    endpoint, _ = switch(script)
    found = NvueSession(endpoint).counters(WANTED)
    assert {place.port for place in found.values[Counter.BYTES_IN]} == {"swp1", "swp2", "swp4", "swp5"}
    (problem,) = found.problems
    assert problem.startswith("interface: swp3: expected counters of 5 ports, of which 4 are read, found ")
    assert found.doubtful == WANTED


def test_an_answer_that_ends_before_its_length_fails_that_port_alone(switch) -> None:
    script = counting({f"swp{number}": LINK for number in range(1, 4)})
    script["GET", "/interface/swp3"] = [(200, TRUNCATED)]
    endpoint, _ = switch(script)
    found = NvueSession(endpoint).counters(WANTED)
    assert {place.port for place in found.values[Counter.BYTES_IN]} == {"swp1", "swp2"}
    assert "swp3" in found.problems[0]


def test_what_a_ports_own_answer_leaves_out_is_asked_for_alone_and_of_the_next_ports_at_once(switch) -> None:
    names = [f"swp{number}" for number in range(1, 41)]
    script = counting({name: {"stats": STATS} for name in names})
    for name in names:
        script |= {("GET", f"/interface/{name}/link/{part}"): [(200, LINK[part])] for part in LINK}
    endpoint, seen = switch(script)
    found = NvueSession(endpoint).counters(WANTED)
    assert found.problems == ()
    assert {place.port for place in found.values[Counter.SYMBOL_ERRORS]} == {*names}
    whole = [path for _, path, _ in seen if path.count("/") == 2 and path.startswith("/interface/")]
    assert len(whole) <= AT_ONCE, "the first ports of all threads, and no other"


def test_a_switch_that_stops_answering_amid_its_ports_is_not_waited_for_port_by_port(switch) -> None:
    script = counting({f"swp{number}": LINK for number in range(1, 65)})
    for number in range(5, 65):
        script["GET", f"/interface/swp{number}"] = [(503, "<html>Service Unavailable</html>")]
    endpoint, seen = switch(script)
    with pytest.raises(ConnectError, match="HTTP 503"):
        NvueSession(endpoint).counters(WANTED)
    assert len(seen) < 4 + MOST_FAILED + AT_ONCE + 4


def test_an_account_that_may_not_look_at_ports_is_refused_and_no_port_is_blamed(switch) -> None:
    script = counting({"swp1": LINK, "swp2": LINK})
    script["GET", "/interface/swp2"] = [(401, {})]
    endpoint, _ = switch(script)
    with pytest.raises(AuthError):
        NvueSession(endpoint).counters(WANTED)

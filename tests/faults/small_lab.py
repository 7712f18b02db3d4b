"""A lab for trials: a switch of each system behind an interposer, and known states to go back to."""

import datetime as dt
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from at_terminal import Operator, lab_of_its_own, small_site
from by_hand import Hand
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from interposer import Interposer, Server
from switch_truth import Truth, clear, truth

from tests.preloaded import Client
from tests.preloaded_client import Clients

DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2"}
COMMAND_TIMEOUT_S = 60.0
LONGER_THAN_ANY_TIMER_S = 4000.0

# lines of ours that are taken out: to put them back nothing has to be shown to be ours, as no push is noted
CLI_CHANGES = (
    ("interface {port}", "no description"),
    ("interface {port}", "no mtu"),
    ("interface {port}", "no description", "interface {other}", "no description"),
)
NVUE_CHANGES = (
    {"interface": {"swp1": {"description": None}}},
    {"interface": {"swp1": {"link": {"mtu": None}}}},
    {"interface": {"swp1": {"description": None}, "swp2": {"description": None}}},
)


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command printed and how it ended; ``code`` None: it was still running when its time was over."""

    words: tuple[str, ...]
    code: int | None
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both, as somebody at a terminal sees them."""
        return self.out + self.err

    def __str__(self) -> str:
        return f"$ nornir {' '.join(self.words)}   -> exit {self.code}\n{self.text.strip()}"


@dataclass
class TrialLab:
    """One lab and the ways into it."""

    operator: Operator
    clients: Clients
    interposers: dict[str, Interposer]
    elsewhere: Operator
    """Another machine with the same site: it knows the switches' own addresses, and nothing of this one's state."""
    hands: dict[str, Hand] = field(default_factory=dict)
    wanted: dict[str, str] = field(default_factory=dict)
    """What each switch runs when all was pushed."""
    client_cpu_s: float = 0.0

    @property
    def records(self) -> Path:
        """Where it is kept what was pushed."""
        return self.operator.records

    @property
    def control(self) -> Path:
        """The lab's control socket."""
        return Path(json.loads((self.operator.lab / "ready.json").read_text())["control"])

    def begin(self, *words: str, is_elsewhere: bool = False) -> Client:
        """Start a command."""
        who = self.elsewhere if is_elsewhere else self.operator
        environ = {**os.environ, "GPUFABRIC_STATE": str(who.state)}
        return self.clients.start(*words, "--site", str(who.site), environ=environ, control=self.control)

    def end(self, client: Client, *words: str) -> Ended:
        """Wait for a command; one that does not end is killed."""
        code = client.wait(COMMAND_TIMEOUT_S)
        if code is None:
            client.kill()
        self.client_cpu_s += client.cpu_s
        return Ended(words, code, *client.output())

    def run(self, *words: str, is_elsewhere: bool = False) -> Ended:
        """Start a command and wait for it."""
        return self.end(self.begin(*words, is_elsewhere=is_elsewhere), *words)

    def truth(self, device: str) -> Truth:
        """What is so on a switch."""
        return truth(self.hands[device])

    def pass_time(self, seconds: float) -> None:
        """Time passes for switches and clients alike."""
        self.operator.control.ask("advance-clock", seconds=seconds)
        self.clients.clocks.advance(seconds)

    def spoil(self, device: str, change: int) -> None:
        """Somebody changes something that a push will put right."""
        hand = self.hands[device]
        if hand.os == "nvue":
            hand.nvue(NVUE_CHANGES[change])
            return
        ports = {"eos": ("Ethernet64/1", "Ethernet63/1"), "nxos": ("Ethernet1/32", "Ethernet1/31")}[hand.os]
        hand.configure(*(line.format(port=ports[0], other=ports[1]) for line in CLI_CHANGES[change]))

    def forget(self) -> None:
        """No journal, no lock, clocks that are right, no fault: as before the first push. The switches stay."""
        for each in self.interposers.values():
            each.calm()
        self.clients.clocks.reset()
        shutil.rmtree(self.elsewhere.state, ignore_errors=True)
        for name in ("journal.sqlite", "journal.sqlite-journal", "push.lock"):
            (self.records / name).unlink(missing_ok=True)

    def restore(self, device: str) -> None:
        """Bring one switch back to what is wanted, whatever was done to it."""
        self.forget()
        found = self.truth(device)
        if found.running == self.wanted[device] and found.is_saved and not found.is_timed and not found.leftovers:
            return
        self.operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
        clear(self.hands[device])
        output = self.run("push", "--yes", "--limit", device)
        if self.hands[device].os == "nxos":
            self.hands[device].nxapi("copy running-config startup-config")
        assert self.truth(device).running == self.wanted[device], f"{device} cannot be restored\n{output}"
        self.forget()


@contextmanager
def trial_lab(where: Path) -> Iterator[TrialLab]:
    """A lab that was pushed to, with an interposer before each of three switches."""
    with lab_of_its_own(where, small_site) as operator:
        clients = Clients(moves_time=True)
        interposers = {DEVICES[each]: _interposer(operator, DEVICES[each], where) for each in DEVICES}
        try:
            lab = TrialLab(operator, clients, interposers, _elsewhere(operator, where), operator.hands())
            _lead_through(operator, interposers)
            pushed = lab.run("push", "--yes")
            assert pushed.code == 0, pushed
            lab.wanted = {device: lab.truth(device).running for device in DEVICES.values()}
            yield lab
        finally:
            clients.close()
            for each in interposers.values():
                each.close()


def _interposer(operator: Operator, device: str, where: Path) -> Interposer:
    listed = json.loads((operator.lab / "spec.json").read_text())["devices"]
    known = next(each for each in listed if each["name"] == device)
    certificate = next((operator.lab / "certificates").glob(f"{device}-*.pem"))
    server = Server(
        known["address"], known["api_port"], known["ssh_port"], certificate, certificate.with_suffix(".key")
    )
    return Interposer(server, _stranger(where))


def _stranger(where: Path) -> tuple[Path, Path]:
    """A certificate that nobody signed."""
    certificate, key = where / "stranger.pem", where / "stranger.key"
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "another switch")])
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
    )
    certificate.write_bytes(builder.sign(private, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, key


def _elsewhere(operator: Operator, where: Path) -> Operator:
    """The same site as another machine has it: with a device list of its own instead of the lab's."""
    site = where / "elsewhere" / "site"
    shutil.copytree(operator.site, site)
    intent = site / "fabric.yml"
    intent.write_text(intent.read_text().replace("source: lab", "source: devices"))
    for name in ("devices.yml", "ca.pem", "known_hosts"):
        shutil.copy(operator.lab / name, site / name)
    shutil.copytree(operator.lab / ".secrets", site / ".secrets")
    return Operator(site, where / "elsewhere" / "state")


def _lead_through(operator: Operator, interposers: dict[str, Interposer]) -> None:
    """The device list names the interposers' ports, and their host keys are known."""
    file = operator.lab / "devices.yml"
    listed = yaml.load(file.read_text().replace("!secret ", ""), yaml.SafeLoader)
    keys = []
    known_hosts = (operator.lab / "known_hosts").read_text()
    for name, each in interposers.items():
        entry = listed["devices"][name]
        rows = [row for row in known_hosts.splitlines() if row.startswith(f"[{entry['address']}]:")]
        keys += [f"[{entry['address']}]:{each.ssh_port} {row.split(' ', 1)[1]}\n" for row in rows]
        entry |= {"api_port": each.api_port, "ssh_port": each.ssh_port}
    head = file.read_text().partition("devices:")[0]
    file.write_text(head + yaml.safe_dump({"devices": listed["devices"]}, sort_keys=False))
    (operator.lab / "known_hosts").write_text(known_hosts + "".join(keys))

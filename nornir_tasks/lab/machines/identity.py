"""Keys of a lab's machines: made by the lab, kept in its private folder, passed to machines at boot."""

from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.lab.machines.commands import run

CLIENT_KEY = "id"
KNOWN_HOSTS = "known_hosts"
KEYGEN_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Keys:
    """The paths of a lab's keys."""

    directory: Path

    @property
    def client(self) -> Path:
        """The private key that every machine of the lab accepts."""
        return self.directory / CLIENT_KEY

    @property
    def known_hosts(self) -> Path:
        return self.directory / KNOWN_HOSTS

    def make(self) -> None:
        """Make the client's key pair, if there is none yet."""
        _generate(self.client, "lab")

    def host_key(self, machine: str) -> Path:
        """The private host key of a machine, made if there is none yet."""
        key = self.directory / machine / "host_key"
        _generate(key, machine)
        return key

    def write_known_hosts(self, ports: dict[str, int]) -> None:
        """One line per machine: only its own key is accepted at its port."""
        lines = []
        for machine, port in ports.items():
            kind, key = self.host_key(machine).with_suffix(".pub").read_text(encoding="utf-8").split()[:2]
            lines.append(f"[127.0.0.1]:{port} {kind} {key}\n")
        self.known_hosts.write_text("".join(lines), encoding="utf-8")


def _generate(key: Path, comment: str) -> None:
    if not key.exists():
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(key)], KEYGEN_TIMEOUT_S)

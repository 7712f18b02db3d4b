"""apt with lists, sources and caches of its own: what an installation would do, without a change of the host.

The host's own sources and lists are copied, NVIDIA's repository stands beside them; packages are resolved against the
host's real dpkg status. Runs on hosts: standard library only, Python 3.9.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.openpgp import armoured, fingerprints
except ImportError:  # in a test
    from openpgp import armoured, fingerprints

KEY_NAME = "GPG-KEY-Mellanox.pub"
"""It lies beside the packages (NVIDIA, DOCA bundle installation: ``curl $DOCA_REPO/GPG-KEY-Mellanox.pub``)."""
META = "doca-ofed"
"""Meta-package of drivers and libraries; it depends on exact versions.

github Azure/azhpc-images 0d4b898, components/install_doca.sh: «doca-ofed strict-pins».
"""
FIRMWARE_WRITERS = ("mlnx-fw-updater", "mlnx-fw-updater-signed")
"""Packages whose installation writes firmware.

Installation logs of MLNX_OFED: «Attempting to perform Firmware update»; the second name: github canonical/packer-maas.
"""
PREFERENCES = f"Package: {' '.join(FIRMWARE_WRITERS)}\nPin: release *\nPin-Priority: -1\n"
INBOX_PIN = "gpufabric-rdma.pref"
OURS = "gpufabric-doca"
TIMEOUT_S = 60
LOCK_TIMEOUT_S = 600
"""How long another program, such as unattended-upgrades, may hold the lock; apt names it then."""
LINE = re.compile(r"(Inst|Remv) (\S+?)(?::\S+)?(?: \[([^]]*)\])?(?: \((\S+) .*)?$")
EXACT = re.compile(r"([a-z0-9][a-z0-9+.-]+) \(= ([^)]+)\)")
"""A dependency on one version."""
UNSIGNED = (
    "NO_PUBKEY",
    "BADSIG",
    "EXPKEYSIG",
    "is not signed",
    "not signed by",
    "signatures were invalid",
    "REVKEYSIG",
)


class Key(NamedTuple):
    """A repository's key as it was fetched: its content, its fingerprints, and what went wrong."""

    content: bytes
    fingerprints: tuple[str, ...]
    error: str


class Plan(NamedTuple):
    """What an installation would do: package -> version, removed packages, and apt's words if it would do nothing."""

    install: dict[str, str]
    remove: list[str]
    error: str


def fetch_key(url: str) -> Key:
    """The key at a URL; an unreachable one and one that is no key are errors in words."""
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:  # noqa: S310 the site names the URL
            content = answer.read()
    except (urllib.error.URLError, OSError, ValueError) as error:
        return Key(b"", (), f"{url} cannot be read: {getattr(error, 'reason', error)}")
    try:
        return Key(content, tuple(fingerprints(content)), "")
    except ValueError as error:
        return Key(content, (), f"{url} is no key: {error}")


def source_entry(url: str, key_file: Path) -> str:
    """NVIDIA's repository as apt's sources file has it: a flat one, trusted by its own key alone."""
    return f"Types: deb\nURIs: {url.rstrip('/')}/\nSuites: ./\nSigned-By: {key_file}\n"


def key_suffix(content: bytes) -> str:
    """.asc of a key in text, .gpg of a binary one, as apt tells them apart."""
    return ".asc" if armoured(content) else ".gpg"


class PrivateApt:
    """apt-get in a folder: sources and lists of the host, and one repository more."""

    def __init__(self, folder: Path, url: str, key: bytes, etc_root: Path = Path("/")) -> None:
        self.folder, self.url = folder, url.rstrip("/")
        sources, preferences = folder / "sources", folder / "preferences"
        for path in (
            sources,
            preferences,
            folder / "only",
            folder / "cache/archives/partial",
            folder / "lists/partial",
        ):
            path.mkdir(parents=True, exist_ok=True)
        key_file = folder / f"key{key_suffix(key)}"
        key_file.write_bytes(key)
        for path in (etc_root / "etc/apt/sources.list.d").glob("*"):
            if path.suffix in (".list", ".sources") and path.stem != OURS:
                shutil.copy(path, sources / path.name)
        if (etc_root / "etc/apt/sources.list").is_file():
            shutil.copy(etc_root / "etc/apt/sources.list", sources / "host.list")
        for path in (etc_root / "etc/apt/preferences.d").glob("*"):
            if path.is_file() and path.name != INBOX_PIN:
                shutil.copy(path, preferences / path.name)
        (preferences / f"{OURS}.pref").write_text(PREFERENCES)
        for place in (sources, folder / "only"):
            (place / f"{OURS}.sources").write_text(source_entry(url, key_file))
        for path in (etc_root / "var/lib/apt/lists").glob("*"):
            if path.is_file() and not (folder / "lists" / path.name).exists() and path.name != "lock":
                shutil.copy2(path, folder / "lists" / path.name)

    def run(
        self, *words: str, sources: str = "sources", program: str = "apt-get", folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run apt with this folder's settings; its exit code is the caller's to judge."""
        own = {
            "Dir::Etc::SourceList": "/dev/null",
            "Dir::Etc::SourceParts": str(self.folder / sources),
            "Dir::Etc::PreferencesParts": str(self.folder / "preferences"),
            "Dir::State::Lists": str(self.folder / "lists"),
            "Dir::Cache::Archives": str(self.folder / "cache/archives"),
            "Dir::Cache::pkgcache": "",
            "Dir::Cache::srcpkgcache": "",
            "APT::Sandbox::User": "root",
            "Acquire::http::Timeout": str(TIMEOUT_S),
            "Acquire::Retries": "1",
            "APT::Get::List-Cleanup": "false",
            "APT::Update::Error-Mode": "any",
            "Dpkg::Options::": "--force-confold",
            "DPkg::Lock::Timeout": str(LOCK_TIMEOUT_S),
        }
        options = [word for name, value in own.items() for word in ("-o", f"{name}={value}")]
        return subprocess.run(  # noqa: S603
            [program, *options, *words],
            env={
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "LC_ALL": "C",
                "DEBIAN_FRONTEND": "noninteractive",
                "NEEDRESTART_SUSPEND": "1",
            },
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def update(self, everything: bool) -> tuple[str, str]:
        """Read the lists: ("", "") or (``unreachable`` or ``unsigned``, apt's words)."""
        done = self.run("update", "-q", sources="sources" if everything else "only")
        if done.returncode == 0:
            return "", ""
        words = (
            " ".join(line for line in done.stdout.splitlines() if line.startswith(("E:", "W:", "Err:"))) or done.stdout
        )
        return ("unsigned" if any(word in words for word in UNSIGNED) else "unreachable"), words

    def versions(self, package: str) -> list[str]:
        """Versions of a package in NVIDIA's repository, best first."""
        lines = self.run("madison", package, program="apt-cache").stdout.splitlines()
        parts = [[part.strip() for part in line.split("|")] for line in lines]
        here = re.sub(r"^file:/+", "file:/", self.url)  # as apt prints it
        return [part[1] for part in parts if len(part) == 3 and part[2].split(" ")[0].rstrip("/") == here]

    def pin(self, package: str, version: str) -> None:
        """Prefer exactly the versions that this one depends on, and those do: a mirror may have several."""
        waiting, pins = [(package, version)], {}
        while waiting:
            name, wanted = waiting.pop()
            pins[name] = wanted
            shown = self.run("show", f"{name}={wanted}", program="apt-cache").stdout
            needs = " ".join(line for line in shown.splitlines() if line.startswith(("Depends:", "Pre-Depends:")))
            waiting += [each for each in EXACT.findall(needs) if each[0] not in pins]
        text = "\n".join(f"Package: {name}\nPin: version {each}\nPin-Priority: 1001\n" for name, each in pins.items())
        (self.folder / "preferences/gpufabric-set.pref").write_text(text)

    def installable(self, package: str) -> bool:
        """Is there a version of it in any source?"""
        return bool(self.run("madison", package, program="apt-cache").stdout.strip())

    def plan(self, packages: Sequence[str]) -> Plan:
        """Simulate the installation of these (`name=version`), of which none may be skipped."""
        done = self.run(
            "install",
            "--simulate",
            "--no-install-recommends",
            "--allow-downgrades",
            "--ignore-hold",
            "--allow-change-held-packages",
            *packages,
        )
        if done.returncode:
            words = [line.strip() for line in done.stdout.splitlines() if line.startswith(("E:", " "))]
            return Plan({}, [], " ".join(words)[:600])
        install, remove = {}, []
        for match in filter(None, map(LINE.match, done.stdout.splitlines())):
            if match[1] == "Inst":
                install[match[2]] = match[4]
            else:
                remove.append(match[2])
        return Plan(install, sorted(set(remove) - set(install)), "")

    def unavailable(self, packages: Sequence[str]) -> list[str]:
        """Those (`name=version`) that no source has, one try for all if all are there."""

        def missing(these: Sequence[str]) -> bool:
            return self.run("download", "--print-uris", *these).returncode != 0

        return [each for each in packages if missing([each])] if packages and missing(packages) else []

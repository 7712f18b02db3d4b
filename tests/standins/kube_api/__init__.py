"""A stand-in for a Kubernetes API server, for tests: stateful, on loopback, with TLS and a token (README.md here)."""

from __future__ import annotations

import base64
import json
import secrets
import ssl
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cluster import Cluster
from .server import Server
from .writes import Write

VERSION = "v1.32.3"
ABOUT = "stand-in"
"""What cluster, user and context of the kubeconfig are called."""


@dataclass(frozen=True)
class Api:
    """One that runs."""

    server: Server
    kubeconfig: Path

    @property
    def cluster(self) -> Cluster:
        return self.server.cluster

    @property
    def requests(self) -> list[str]:
        """Method and address of each request so far."""
        return self.server.log.read_text(encoding="utf-8").splitlines()


def _certificate(folder: Path) -> Path:
    """A CA of its own and the server's certificate, by openssl."""
    script = """
        key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        openssl req -x509 $key -days 30 -keyout ca.key -out ca.crt -subj "/CN=stand-in CA" \
            -addext "keyUsage=critical,keyCertSign" -addext "basicConstraints=critical,CA:TRUE"
        openssl req $key -keyout tls.key -out tls.csr -subj "/CN=127.0.0.1"
        printf '%s\\n' subjectAltName=IP:127.0.0.1 extendedKeyUsage=serverAuth authorityKeyIdentifier=keyid >tls.ext
        openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile tls.ext -out tls.crt
    """
    subprocess.run(["bash", "-euc", f"umask 077;{script}"], cwd=folder, check=True, capture_output=True)
    return folder / "tls.crt"


def _kubeconfig(folder: Path, port: int, token: str) -> Path:
    authority = base64.b64encode((folder / "ca.crt").read_bytes()).decode()
    server = f"https://127.0.0.1:{port}"
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": ABOUT, "cluster": {"server": server, "certificate-authority-data": authority}}],
        "users": [{"name": ABOUT, "user": {"token": token}}],
        "contexts": [{"name": ABOUT, "context": {"cluster": ABOUT, "user": ABOUT}}],
        "current-context": ABOUT,
    }
    file = folder / "kubeconfig"
    file.touch(mode=0o600)
    file.write_text(json.dumps(document, indent=2))  # JSON is YAML
    return file


def node(name: str, labels: dict[str, str]) -> dict[str, Any]:
    """A node that is ready."""
    status = {"conditions": [{"type": "Ready", "status": "True"}], "nodeInfo": {"kubeletVersion": VERSION}}
    return {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}, "status": status}


def prepare(
    folder: Path, *, nodes: Sequence[str] = (), schemas: Sequence[Path] = (), version: str = VERSION, port: int = 0
) -> Api:
    """A server that is bound, with its kubeconfig; ``serve_forever`` is the caller's.

    ``nodes``: NAME, or NAME,label=value,...  ``schemas``: tables of recorded facts, whose definitions it then has.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cluster = Cluster()
    for each in nodes:
        name, *labels = each.split(",")
        made = node(name, dict(label.split("=", 1) for label in labels))
        cluster.create(cluster.kind("", "v1", "nodes"), "", made, Write("kubelet"))
    cluster.define(*schemas)
    token = secrets.token_hex(16)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(folder), folder / "tls.key")
    log = folder / "requests.log"
    log.write_text("")
    server = Server(port, context, cluster, token, version, log)
    return Api(server, _kubeconfig(folder, server.server_address[1], token))


@contextmanager
def started(folder: Path, **choices: Any) -> Iterator[Api]:
    """One that runs in this process until the end of the block. Choices as of ``prepare``."""
    api = prepare(folder, **choices)
    thread = threading.Thread(target=api.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        api.server.shutdown()
        api.server.server_close()
        thread.join(10)

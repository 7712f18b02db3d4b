"""A site with a switch of each system that is to boot for the first time, in a folder of its own."""

import datetime as dt
import socket
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.files.site import resource
from nornir_tasks.usecases.day0 import Day0, prepare
from nornir_tasks.usecases.site import SiteDesign, load, select
from tests.unit.usecases.oob_site import ACCOUNTS, TIME, with_servers

SWITCHES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}
BASE = f"""base:
  ntp: [{TIME}]
{ACCOUNTS}"""


def free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def write_authority(folder: Path) -> None:
    """A CA, its key beside it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a site's CA")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=2))
        .not_valid_after(now + dt.timedelta(days=400))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "ca.key").write_bytes(private)
    (folder / "ca.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))


def names_of_switches() -> list[str]:
    return [device.name for device in load("lab").network.devices]


def write_site(
    folder: Path, *, base: str = BASE, day0: str | None = None, without: frozenset[str] = frozenset()
) -> Path:
    """The lab's intent for real switches. ``without``: switches of which the device list says the address alone."""
    folder.mkdir(parents=True)
    lab = with_servers((resource("inventory") / "lab" / "fabric.yml").read_text())
    http, https = free_ports()
    served = day0 if day0 is not None else f"day0: {{server: 127.0.0.1, http_port: {http}, https_port: {https}}}\n"
    (folder / "fabric.yml").write_text(lab.replace("source: lab", "source: devices") + base + served)
    write_authority(folder)
    rows = [
        f"  {name}: {{address: 192.0.2.{number}"
        + ("" if name in without else f", serial: SER{number}, mac: '02:00:00:00:00:{number:02x}'")
        + "}"
        for number, name in enumerate(names_of_switches(), start=11)
    ]
    (folder / "devices.yml").write_text(
        "username: gpufabric\npassword: !secret switch\nca: ca.pem\ndevices:\n" + "\n".join(rows) + "\n"
    )
    return folder


def with_management(design: SiteDesign, *, but: str = "") -> SiteDesign:
    """The site with an address for each management port, as an out-of-band plane gives them."""
    names = [device.name for device in design.network.devices if device.name != but]
    addresses = {
        name: ManagementAddress(str(ip_address("192.0.2.11") + number), 24, "192.0.2.1")
        for number, name in enumerate(names)
    }
    return SiteDesign(design.site, replace(design.network, management=addresses), design.catalogue)


def prepared(folder: Path, renew: frozenset[str] = frozenset(), limit: tuple[str, ...] = ()) -> Day0:
    return prepare(select(with_management(load(folder)), (), limit), renew)

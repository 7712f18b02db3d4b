"""show management api http-commands, its access lists, certificates; clock, uptime, reload cause, extensions.

JSON keys: tests/recorded/eos_show/management.txt. A certificate is the one that the switch serves, read from its file.
"""

from __future__ import annotations

from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.x509.oid import NameOID

from ...engine import Node
from ..flags import is_on
from ..view import View

_API = "management api http-commands"
_HTTP_PORT, _HTTPS_PORT, _LOCAL_PORT = 80, 443, 8080


def api_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show management api http-commands``."""
    node = view.tree.first(_API)
    enabled = node is not None and not is_on(node, "shutdown", True)
    http = node is not None and is_on(node, "protocol http", False)
    https = node is None or is_on(node, "protocol https", True)
    found: dict[str, Any] = {
        "enabled": enabled,
        "httpServer": _server(node, "http", _HTTP_PORT, http, enabled),
        "localHttpServer": {"configured": False, "running": False, "port": _LOCAL_PORT},
        "httpsServer": _server(node, "https", _HTTPS_PORT, https, enabled),
        "unixSocketServer": {"configured": False, "running": False},
        "tlsProtocol": ["1.2"],
    }
    profile = node.value("protocol https ssl profile", "profile") if node is not None else None
    if profile is not None:
        found["sslProfile"] = {"name": profile, "configured": True, "state": _profile_state(view, profile)}
    return found


def _server(node: Node | None, protocol: str, port: int, is_configured: bool, enabled: bool) -> dict[str, Any]:
    own = node.value(f"protocol {protocol} port", "port") if node is not None else None
    return {"configured": is_configured, "running": is_configured and enabled, "port": int(own or port)}


def _profile_state(view: View, profile: str) -> str:
    security = view.tree.first("management security")
    block = security.first(f"ssl profile {profile}") if security is not None else None
    return "valid" if block is not None and block.value("certificate", "certificate") else "invalid"


def api_lists_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show management api http-commands ip|ipv6 access-list summary``: by list, the VRFs that have it."""
    family, node = params["family"].lower(), view.tree.first(_API)
    vrfs: dict[str, list[str]] = {}
    for block in node.find("vrf") if node is not None else ():
        name = block.value(f"{family} access-group", "acl")
        if name is not None:
            vrfs.setdefault(name, []).append(block.params["vrf"])
    kind, key = ("Ip4Acl", "ipAclList") if family == "ip" else ("Ip6Acl", "ipv6AclList")
    rows = [
        {"type": kind, "name": name, "configuredVrfs": where, "activeVrfs": _active(view, where)}
        for name, where in vrfs.items()
    ]
    return {key: {"aclList": rows}}


def _active(view: View, vrfs: list[str]) -> list[str]:
    """Those in which the API runs."""
    node = view.tree.first(_API)
    blocks = {each.params["vrf"]: each for each in node.find("vrf")} if node is not None else {}
    return [vrf for vrf in vrfs if vrf in blocks and not is_on(blocks[vrf], "shutdown", True)]


def certificates_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show management security ssl certificate``: the ones of ``certificate:`` that the profiles name."""
    security = view.tree.first("management security")
    found = {}
    for block in security.find("ssl profile") if security is not None else ():
        name = block.value("certificate", "certificate")
        pem = view.machine.certificate(name.removesuffix(".crt")) if name is not None else None
        if name is not None and pem is not None:
            found[name] = _certificate(x509.load_pem_x509_certificate(pem))
    return {"certificates": found}


def _certificate(read: x509.Certificate) -> dict[str, Any]:
    names = read.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    key = read.public_key()
    kinds = {EllipticCurvePublicKey: "ECDSA", RSAPublicKey: "RSA"}
    algorithm = next((word for kind, word in kinds.items() if isinstance(key, kind)), "unknown")
    return {
        "subject": {"commonName": str(names[0].value) if names else ""},
        "notAfter": int(read.not_valid_after_utc.timestamp()),
        "notBefore": int(read.not_valid_before_utc.timestamp()),
        "publicKey": {"encryptionAlgorithm": algorithm, "size": getattr(key, "key_size", 0)},
    }


# -- the machine ---------------------------------------------------------------------------------------------------


def clock_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show clock``."""
    return {"utcTime": view.machine.utc_s(), "timezone": "UTC", "clockSource": {"local": True}}


def uptime_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show uptime``."""
    return {
        "upTime": view.uptime_s,
        "loadAvg": [0.0, 0.0, 0.0],
        "users": 0,
        "currentTime": view.machine.utc_s(),
    }


def reload_cause_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show reload cause``: none on a switch that has run since the lab began."""
    machine = view.machine
    cause = {
        "description": machine.reload_cause,
        "timestamp": machine.reloaded_at,
        "recommendedAction": "No action necessary.",
        "debugInfoIsDir": False,
    }
    return {"resetCauses": [cause] if machine.reload_cause else [], "kernelCrashData": [], "full": False}


def extensions_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show extensions``."""
    name = view.word("extension")
    found = {name: {"status": "installed"}} if name else {}
    return {"extensions": found, "extensionStoredDir": "flash:"}


def boot_extensions_json(_: View, __: dict[str, str]) -> dict[str, Any]:
    """``show boot-extensions``: the lab's switches have none."""
    return {"extensions": []}

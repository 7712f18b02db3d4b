"""What NX-API is served with: its certificate, once it is enabled, and its VRF."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from ipaddress import IPv4Address

from ..admission import Opening, admits
from ..certificates import LabCertificates
from ..engine import Tree
from ..served import SELF_SIGNED, ServedApi
from ..spec import DeviceSpec

HTTPS_PORT, SSH_PORT = 443, 22
_DAY0 = "nxapi"
"""Name of the files that a switch of the lab has from the beginning (day0.py)."""
_FILE = re.compile(r"bootflash:/*(?P<name>\S+)\.(?:crt|key)")


def served_api(device: DeviceSpec, certificates: LabCertificates, running: Callable[[], Tree]) -> ServedApi:
    """Of a switch whose running configuration is ``running()``."""
    return ServedApi(
        certificates,
        device,
        _DAY0,
        lambda: _named(running()),
        lambda: _settings(running()),
        lambda client: lets_in(running(), client, HTTPS_PORT),
    )


def named_vrf(tree: Tree) -> str | None:
    """The VRF that NX-API is served in; None: none was named."""
    return tree.root.value("nxapi use-vrf", "vrf")


def _named(tree: Tree) -> str | None:
    """The certificate's file without its ending; None: it is enabled, and one of its files is not named."""
    if tree.first("nxapi certificate enable") is None:
        return SELF_SIGNED
    places = ("httpscrt certfile", "httpskey keyfile")
    files = (_FILE.fullmatch(tree.root.value(f"nxapi certificate {place}", "file") or "") for place in places)
    names = {found["name"] if found else None for found in files}
    return names.pop() if len(names) == 1 else None


def _settings(tree: Tree) -> Hashable:
    return tuple(
        child.line for child in tree.root.children.values() if child.words.startswith(("nxapi ", "feature nx"))
    )


def lets_in(tree: Tree, client: IPv4Address, port_number: int) -> bool:
    """Does the list of mgmt0 permit this client at a port, by the number that it has on a switch?"""
    port = tree.first("interface mgmt0")
    bound = port.value("ip access-group", "acl") if port else None
    rules = tree.first(f"ip access-list {bound}") if bound else None
    return rules is None or admits((each.line for each in rules.walk()), Opening(client, port_number, frozenset()))

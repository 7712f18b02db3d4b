"""What eAPI is served with: the certificate of its TLS profile, or the switch's own without one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from ipaddress import IPv4Address

from ..admission import Opening, admits
from ..certificates import LabCertificates
from ..engine import Tree
from ..served import SELF_SIGNED, ServedApi
from ..spec import DeviceSpec
from .control_plane import applied
from .flags import is_on

_DAY0 = "eapi"
"""Name of the files that a switch of the lab has from the beginning (brownfield.py)."""
_API, _SECURITY = "management api http-commands", "management security"


def served_api(device: DeviceSpec, certificates: LabCertificates, running: Callable[[], Tree]) -> ServedApi:
    """Of a switch whose running configuration is ``running()``."""
    return ServedApi(
        certificates,
        device,
        _DAY0,
        lambda: _named(running()),
        lambda: _settings(running()),
        lambda client: _lets_in(running(), client),
    )


def _named(tree: Tree) -> str | None:
    """The certificate's file without its ending; None: the profile has none, or not the key of the same name."""
    api = tree.first(_API)
    profile = api.value("protocol https ssl profile", "profile") if api else None
    if profile is None:
        return SELF_SIGNED
    security = tree.first(_SECURITY)
    block = security.first(f"ssl profile {profile}") if security else None
    certificate, key = (block.value("certificate", name) if block else None for name in ("certificate", "key"))
    if certificate is None or key is None:
        return None
    name = certificate.removesuffix(".crt")
    return name if (certificate, key) == (f"{name}.crt", f"{name}.key") else None


def _settings(tree: Tree) -> Hashable:
    blocks = (tree.first(_API), tree.first(_SECURITY))
    return tuple(None if each is None else tuple(node.line for node in each.walk()) for each in blocks)


def serves_ssh(tree: Tree, device: DeviceSpec, client: IPv4Address) -> bool:
    """Does SSH answer this client? In the default VRF unless shut down, in others where ``no shutdown`` says so."""
    port, block = tree.first("interface Management1"), tree.first("management ssh")
    address = port.value("ip address", "address") if port is not None else None
    if port is None or is_on(port, "shutdown", False) or (address or "").partition("/")[0] != device.address:
        return False
    vrf = port.value("vrf", "vrf")
    here = block.first(f"vrf {vrf}") if vrf and block is not None else block
    if is_on(here, "shutdown", bool(vrf)) if here is not None else bool(vrf):
        return False
    lists = [each for each in block.find("ip access-group") if each.params.get("vrf") == vrf] if block else []
    opening = Opening(client, 22, frozenset({"ssh"}))
    return _control_plane_admits(tree, opening) and all(_admits(tree, each.params["acl"], opening) for each in lists)


def _lets_in(tree: Tree, client: IPv4Address) -> bool:
    """Does the list of the control plane in the management port's VRF permit this client? The lab's port is 443."""
    return _control_plane_admits(tree, Opening(client, 443, frozenset({"https"})))


def _control_plane_admits(tree: Tree, opening: Opening) -> bool:
    port = tree.first("interface Management1")
    vrf = port.value("vrf", "vrf") if port else None
    bound = applied(tree, "ip", vrf)
    return bound is None or _admits(tree, bound, opening)


def _admits(tree: Tree, name: str, opening: Opening) -> bool:
    """A list that does not exist permits all."""
    rules = tree.first(f"ip access-list {name}")
    return rules is None or admits((each.line for each in rules.walk()), opening)

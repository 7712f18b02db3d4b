"""What eAPI is served with: the certificate of its TLS profile, or the switch's own without one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from ipaddress import IPv4Address

from ..admission import Opening, admits
from ..certificates import LabCertificates
from ..engine import Tree
from ..served import SELF_SIGNED, ServedApi
from ..spec import DeviceSpec

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


def _lets_in(tree: Tree, client: IPv4Address) -> bool:
    """Does the list of the control plane in the management port's VRF permit this client? The lab's port is 443."""
    port, control = tree.first("interface Management1"), tree.first("system control-plane")
    vrf = port.value("vrf", "vrf") if port else None
    bound = [each for each in control.find("ip access-group") if each.params.get("vrf") == vrf] if control else []
    if not bound:
        return True
    rules = tree.first(f"ip access-list {bound[0].params['acl']}")
    opening = Opening(client, 443, frozenset({"https"}))
    return rules is None or admits((each.line for each in rules.walk()), opening)

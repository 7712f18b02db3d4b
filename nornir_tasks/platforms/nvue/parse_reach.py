"""NVUE data of how a switch is reached: ``system.api`` and ``system.ssh-server``."""

from nornir_tasks.design.config.reach import CONTROL_LIST, ApiSettings, ControlPlane, Reach, SshSettings
from nornir_tasks.platforms.nvue.reading import Data, entries, look, take, take_empty, take_text, take_word

_API, _SSH = ("system", "api"), ("system", "ssh-server")
_DEFAULT = "default"


def reach(data: Data) -> Reach:
    """All that the model has of it."""
    return Reach(api=_api(data), ssh=_ssh(data), control_plane=_control_plane(data))


def _api(data: Data) -> ApiSettings | None:
    """The API, if it is on with a certificate of its own; what it listens on beside one address is left."""
    if look(data, *_API, "state") != "enabled" or not isinstance(look(data, *_API, "certificate"), str):
        return None
    certificate = take_text(data, *_API, "certificate") or ""
    take_word(data, "enabled", *_API, "state")
    listened = [address for address, _ in entries(data, *_API, "listening-address")]
    address = listened[0] if len(listened) == 1 else None
    if address is not None and not take_empty(data, *_API, "listening-address", address):
        address = None
    return ApiSettings(certificate, None, address)


def _ssh(data: Data) -> SshSettings | None:
    """SSH, if it is on in one VRF alone, without root, and ends idle sessions; else its settings are left."""
    minutes, vrfs = look(data, *_SSH, "inactive-timeout"), look(data, *_SSH, "vrf")
    words = (look(data, *_SSH, "permit-root-login"), look(data, *_SSH, "state"))
    is_number = isinstance(minutes, int) and not isinstance(minutes, bool)
    is_in_one = isinstance(vrfs, dict) and list(vrfs.values()) == [{}]
    if not (is_number and is_in_one and words == ("disabled", "enabled")):
        return None
    for key in ("inactive-timeout", "permit-root-login", "state", "vrf"):
        take(data, *_SSH, key)
    (vrf,) = vrfs
    return SshSettings(minutes, None if vrf == _DEFAULT else vrf)


def _control_plane(data: Data) -> ControlPlane | None:
    """Where the list of the control plane is applied; its rules come with the other lists."""
    at = ("interface", "eth0", "acl", CONTROL_LIST, "inbound", "control-plane")
    return ControlPlane((), None) if take_empty(data, *at) else None

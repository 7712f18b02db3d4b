"""How a switch is reached, as pyavd takes it."""

from typing import Any

from nornir_tasks.design.config.base import Base
from nornir_tasks.design.config.reach import ApiSettings, SshSettings

Inputs = dict[str, Any]


def reach_inputs(base: Base) -> Inputs:
    """Of what is ours."""
    api, ssh = base.reach.api, base.reach.ssh
    found = ({} if api is None else _api(api)) | ({} if ssh is None else {"management_ssh": _ssh(ssh)})
    control = base.reach.control_plane
    groups: dict[str, list[Inputs]] = {"ipv4": [], "ipv6": []}
    for each in base.reach.fabric:
        groups[each.family].append({"acl_name": each.name})
    if control is not None:
        groups["ipv4"].append({"acl_name": control.access_list.name, "vrf": control.vrf})
    applied = {f"{family}_access_groups": each for family, each in groups.items() if each}
    if applied:
        found["system"] = {"control_plane": applied}
    return found


def _api(api: ApiSettings) -> Inputs:
    http: Inputs = {"enable_https": True, "https_ssl_profile": "GPUFABRIC"}
    if api.vrf:
        http["enable_vrfs"] = [{"name": api.vrf}]
    files = {"file": f"{api.certificate}.crt", "key": f"{api.certificate}.key"}
    profile = {"name": "GPUFABRIC", "tls_versions": "1.2", "certificate": files}
    return {"management_api_http": http, "management_security": {"ssl_profiles": [profile]}}


def _ssh(ssh: SshSettings) -> Inputs:
    found: Inputs = {"idle_timeout": ssh.idle_minutes}
    if ssh.vrf:
        found |= {"enable": False, "vrfs": [{"name": ssh.vrf, "enable": True}]}
    return found

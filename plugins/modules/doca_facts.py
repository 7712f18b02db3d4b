"""Ansible module: what an installation of NVIDIA's DOCA-OFED would find and do on a host. See DOCUMENTATION."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils import doca_apt, doca_change, doca_host
from ansible_collections.gpufabric.host.plugins.module_utils.doca_set import doca_set, is_version
from ansible_collections.gpufabric.host.plugins.module_utils.rdma_state import by_distribution, distribution, packages
from ansible_collections.gpufabric.host.plugins.module_utils.roce_device import text

DOCUMENTATION = r"""
module: doca_facts
short_description: What an installation of DOCA-OFED would find and do on a host
description:
  - Reads kernels, headers, DKMS builds, Secure Boot, modules that hold ib_core, and what rides on mlx5 now. Where the
    wanted version is not the installed one, resolves it with apt against NVIDIA's repository, in a folder of its own.
  - Changes nothing.
options:
  url:
    description: NVIDIA's repository for this distribution and architecture, or a mirror of it.
    type: str
    required: true
  key_url:
    description: Its key; empty is the file beside the packages.
    type: str
    default: ""
  fingerprint:
    description: Fingerprint that the key must have.
    type: str
    required: true
  version:
    description: Wanted version of DOCA-OFED.
    type: str
    required: true
  packages:
    description: Packages to have from there besides the meta-package.
    type: list
    elements: str
    default: []
  rails:
    description: Interfaces of the rails, on which nothing but RDMA rides.
    type: list
    elements: str
    default: []
  update:
    description: Read the lists of the host's own sources again as well, into the same folder.
    type: bool
    default: true
  root:
    description: Where /sys and /proc are. Only tests have another tree.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
  diff_mode: {support: none, description: "There is no change to show."}
"""

EXAMPLES = r"""
- name: What would become of this host
  gpufabric.host.doca_facts:
    url: https://mirror.example.net/doca/2.9.3/ubuntu22.04/x86_64/
    fingerprint: 0123456789ABCDEF0123456789ABCDEF01234567
    version: 2.9.3
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_doca:
      type: dict
      description: The host, as far as the exchange of its RDMA driver stack depends on it.
      contains:
        distribution: {type: dict, description: id and version_id of /etc/os-release}
        by_distribution: {type: list, description: packages of the stack that the distribution makes itself}
        kernels: {type: dict, description: "releases, running and next"}
        headers: {type: dict, description: "kernel -> present, installable or missing"}
        secure_boot: {type: bool, description: whether the kernel starts signed modules alone}
        signing: {type: dict, description: "certificate that DKMS signs with; enrolled; mokutil's answer"}
        unbuilt: {type: list, description: sources of the stack that a kernel has no build of}
        holders: {type: dict, description: "module that holds ib_core -> dkms, package: what rebuilds it"}
        rides: {type: list, description: why the driver cannot be unloaded now}
        firmware_at_boot: {type: bool, description: whether openibd writes firmware at boot}
        loaded: {type: str, description: "srcversion of the loaded mlx5_core; empty if it is not loaded"}
        on_disk: {type: str, description: srcversion of the mlx5_core that would be loaded}
        installed: {type: str, description: version of the set that was installed by this role}
        phase: {type: str, description: "how far an exchange is: saved, switching, switched; or empty"}
        needed: {type: bool, description: whether the installed set is not the wanted one}
        plan: {type: dict, description: "what apt would do, and what went wrong; empty unless needed"}
"""


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "url": {"type": "str", "required": True},
            "key_url": {"type": "str", "default": "", "no_log": False},
            "fingerprint": {"type": "str", "required": True},
            "version": {"type": "str", "required": True},
            "packages": {"type": "list", "elements": "str", "default": []},
            "rails": {"type": "list", "elements": "str", "default": []},
            "update": {"type": "bool", "default": True},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    given = module.params
    module.exit_json(changed=False, ansible_facts={"gpufabric_doca": collect(given)})


def collect(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fact."""
    root, here = Path(given["root"]), Path("/")
    kernels = doca_host.kernels(root, here)
    headers = {name: "present" if doca_host.has_headers(here, name) else "missing" for name in set(kernels.values())}
    installed = doca_set(here)
    needed = not is_version(installed["version"], given["version"]) or bool(installed["wrong"])
    return {
        "distribution": distribution(here),
        "by_distribution": by_distribution(here / "var/lib/dpkg/status"),
        "kernels": kernels,
        "secure_boot": doca_host.secure_boot(root),
        "signing": doca_host.signing(here),
        "unbuilt": doca_host.unbuilt(here, kernels.values()),
        "holders": doca_host.holders(root, here),
        "rides": doca_host.rides(root, given["rails"]),
        "firmware_at_boot": "RUN_FW_UPDATER_ONBOOT=yes" in text(here / "etc/infiniband/openib.conf").split(),
        "loaded": doca_host.loaded_driver(root),
        "on_disk": doca_host.driver_on_disk(kernels["running"]),
        "installed": installed["version"],
        "phase": doca_change.record().get("phase", ""),
        "needed": needed,
        "plan": plan(given, headers) if needed else {},
        "headers": headers,
    }


def plan(given: Mapping[str, Any], headers: dict[str, str]) -> dict[str, Any]:
    """What apt would do; where it cannot tell, why. Fills in which headers could be installed."""
    key = doca_apt.fetch_key(given["key_url"] or f"{given['url'].rstrip('/')}/{doca_apt.KEY_NAME}")
    found: dict[str, Any] = {"fingerprints": list(key.fingerprints), "kind": "", "error": key.error, "versions": []}
    found.update(install={}, remove=[], unavailable=[])
    if key.error:
        return {**found, "kind": "key" if key.content else "unreachable"}
    if given["fingerprint"].replace(" ", "").upper() not in key.fingerprints:
        return {**found, "kind": "fingerprint"}
    with tempfile.TemporaryDirectory(prefix="gpufabric-doca-") as folder:
        apt = doca_apt.PrivateApt(Path(folder), given["url"], key.content)
        kind, error = apt.update(given["update"])
        if kind:
            return {**found, "kind": kind, "error": error}
        found["versions"] = apt.versions(doca_apt.META)
        version = next((each for each in found["versions"] if is_version(each, given["version"])), "")
        if not version:
            return {**found, "kind": "version"}
        apt.pin(doca_apt.META, version)
        for kernel, state in headers.items():
            if state == "missing" and apt.installable(f"linux-headers-{kernel}"):
                headers[kernel] = "installable"
        extra = [f"linux-headers-{kernel}" for kernel, state in headers.items() if state == "installable"]
        done = apt.plan([f"{doca_apt.META}={version}", *given["packages"], *extra])
        if done.error:
            return {**found, "kind": "packages", "error": done.error}
        now = packages(Path("/var/lib/dpkg/status"), ["*"])
        replaced = [f"{name}={now[name]['version']}" for name in (*done.install, *done.remove) if name in now]
        mine = {
            f"{doca_change.deb_field(path, 'Package')}={doca_change.deb_field(path, 'Version')}"
            for path in doca_change.PACKAGES.glob("*.deb")
        }
        missing = apt.unavailable([each for each in replaced if each not in mine])
        return {**found, "version": version, "install": done.install, "remove": done.remove, "unavailable": missing}


if __name__ == "__main__":
    main()

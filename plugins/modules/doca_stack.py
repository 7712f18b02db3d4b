"""Ansible module: exchange a host's RDMA driver stack for NVIDIA's DOCA-OFED, and take that back. See DOCUMENTATION."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils import doca_apt, doca_change, doca_host
from ansible_collections.gpufabric.host.plugins.module_utils.doca_change import ChangeError
from ansible_collections.gpufabric.host.plugins.module_utils.doca_set import known_set

DOCUMENTATION = r"""
module: doca_stack
short_description: Exchange a host's RDMA driver stack for DOCA-OFED, and take that back
description:
  - V(installed) saves what is there, builds the modules from the unpacked packages in a DKMS tree that only the build
    sees, for all kernels, and only then exchanges the packages, holds them and makes each initramfs again. No driver is
    restarted. A failure leaves the change open for V(back).
  - V(built) builds the installed sources for a kernel that has no build of them, as after an upgrade of the kernel.
  - V(back) undoes the change that is open - packages, DKMS tree, modules, initramfs. Without one it does nothing.
  - V(kept) ends the change that is open, and keeps its packages for the next way back.
options:
  state:
    description: What to do.
    type: str
    choices: [installed, built, back, kept]
    required: true
  plan:
    description: Fact C(gpufabric_doca) of M(gpufabric.host.doca_facts), for V(installed) and V(built).
    type: dict
    default: {}
  url:
    description: NVIDIA's repository.
    type: str
    default: ""
  key_url:
    description: Its key; empty is the file beside the packages.
    type: str
    default: ""
  fingerprint:
    description: Fingerprint that the key must have.
    type: str
    default: ""
  update:
    description: Read the lists of the host's own sources again as well.
    type: bool
    default: true
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Tells whether there is something to do."}
  diff_mode: {support: none, description: "The result names the packages."}
"""

EXAMPLES = r"""
- name: Exchange the stack
  gpufabric.host.doca_stack:
    state: installed
    plan: "{{ ansible_facts.gpufabric_doca }}"
    url: https://mirror.example.net/doca/2.9.3/ubuntu22.04/x86_64/
    fingerprint: 0123456789ABCDEF0123456789ABCDEF01234567
"""

RETURN = r"""
packages:
  description: Names of the packages that changed.
  returned: always
  type: list
built:
  description: DKMS sources that were built, name/version; with V(built) the kernels.
  returned: when state is installed or built
  type: list
"""


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "state": {"type": "str", "choices": ["installed", "built", "back", "kept"], "required": True},
            "plan": {"type": "dict", "default": {}},
            "url": {"type": "str", "default": ""},
            "key_url": {"type": "str", "default": "", "no_log": False},
            "fingerprint": {"type": "str", "default": ""},
            "update": {"type": "bool", "default": True},
        },
        supports_check_mode=True,
    )
    given = module.params
    here = doca_change.record()
    if module.check_mode:
        unbuilt = given["plan"].get("unbuilt")
        needed, switched = given["plan"].get("needed"), here.get("phase") == "switched"
        todo = {"installed": needed, "built": unbuilt, "back": here, "kept": switched}
        module.exit_json(changed=bool(todo[given["state"]]), packages=[], built=[])
    try:
        if given["state"] == "back":
            module.exit_json(changed=bool(here), packages=doca_change.back())
        if given["state"] == "built":
            module.exit_json(changed=bool(given["plan"]["unbuilt"]), packages=[], built=built(given["plan"]))
        if given["state"] == "kept":
            module.exit_json(changed=doca_change.keep(), packages=[])
        module.exit_json(**installed(given))
    except ChangeError as error:
        module.fail_json(msg=str(error), phase=doca_change.record().get("phase", ""))
    except OSError as error:  # a full disk, a read-only file system
        where = error.filename or doca_change.CHANGE
        module.fail_json(msg=f"{where}: {error.strerror}", phase=doca_change.record().get("phase", ""))


def installed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Save, build, exchange. A change that was killed half way is taken back first."""
    facts, plan = given["plan"], given["plan"]["plan"]
    if doca_change.record().get("phase") != "switched":
        doca_change.back()
    if not facts["needed"]:
        return {"changed": False, "packages": [], "built": []}
    shutil.rmtree(doca_change.CHANGE, ignore_errors=True)  # downloads of a run that was killed before anything changed
    key = doca_apt.fetch_key(given["key_url"] or f"{given['url'].rstrip('/')}/{doca_apt.KEY_NAME}")
    if key.error or given["fingerprint"].replace(" ", "").upper() not in key.fingerprints:
        raise ChangeError(
            f"{given['url']}: its key is not the one that was judged: {key.error or ', '.join(key.fingerprints)}"
        )
    apt = doca_apt.PrivateApt(doca_change.CHANGE / "apt", given["url"], key.content)
    _, error = apt.update(given["update"])
    if error:
        raise ChangeError(f"{given['url']}: {error}")
    kernels = sorted(set(facts["kernels"].values()))
    doca_change.save(apt, plan["install"], plan["remove"], kernels)
    tools = [name for name in plan["install"] if name == "dkms" or name.startswith("linux-headers-")]
    if not Path("/usr/sbin/dkms").exists() or tools:
        doca_change.install_tools(apt, tools)
    also = sorted({by["dkms"] for by in facts["holders"].values() if by["dkms"]})
    sources = doca_change.build(kernels, also)
    before = {
        name: each for name, each in known_set(Path("/")).get("packages", {}).items() if name not in plan["remove"]
    }
    set_of = {"version": plan["version"], "packages": {**before, **of_nvidia(plan["install"])}}
    doca_change.install(apt, kernels, sources, also, set_of)
    return {"changed": True, "packages": sorted({*plan["install"], *plan["remove"]}), "built": [*sources, *also]}


def built(facts: Mapping[str, Any]) -> list[str]:
    """Build what a kernel lacks; ChangeError if a source does not build for it."""
    kernels = sorted(set(facts["kernels"].values()))
    lacking = [kernel for kernel in kernels if doca_host.unbuilt(Path("/"), [kernel])]
    for kernel in lacking:
        doca_change.build_for(kernel)
        if left := doca_host.unbuilt(Path("/"), [kernel]):
            raise ChangeError(f"no build of {', '.join(left)}: see /var/lib/dkms/mlnx-ofed-kernel/*/build/make.log")
    return lacking


def of_nvidia(install: Mapping[str, str]) -> dict[str, str]:
    """Packages of the set: all that were installed, without tools of the distribution's, which may be upgraded."""
    ours = (
        "doca",
        "mlnx",
        "ofed",
        "ibverbs",
        "libib",
        "librdmacm",
        "rdma",
        "mft",
        "perftest",
        "infiniband",
        "srptools",
        "ucx",
    )
    return {
        name: version
        for name, version in install.items()
        if name.startswith(ours) or name.endswith("-dkms") or "mlnx" in version
    }


if __name__ == "__main__":
    main()

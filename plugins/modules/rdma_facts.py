"""Ansible module: what a host's RDMA stack is. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.doca_host import kernels, unbuilt
from ansible_collections.gpufabric.host.plugins.module_utils.doca_set import doca_set
from ansible_collections.gpufabric.host.plugins.module_utils.interface_names import of_instance
from ansible_collections.gpufabric.host.plugins.module_utils.port_kinds import refusal
from ansible_collections.gpufabric.host.plugins.module_utils.rdma_state import (
    bonds,
    by_distribution,
    devices,
    distribution,
    kernel,
    mixed,
    modules,
    names,
    namespaces,
    packages,
    vendor_stack,
)

DOCUMENTATION = r"""
module: rdma_facts
short_description: What a host's RDMA stack is
description:
  - Reads distribution, kernel modules, packages, RDMA devices and the Soft-RoCE links that are kept. Changes nothing.
options:
  rails:
    description: The rails' interfaces, refused where no role sets them up.
    type: list
    elements: str
    default: []
  modules:
    description: Kernel modules to tell the state of.
    type: list
    elements: str
    default: []
  packages:
    description: Packages to tell version and hold of; shell patterns.
    type: list
    elements: str
    default: []
  root:
    description: Where /sys, /proc and /lib/modules are. Only tests have another tree.
    type: path
    default: /
  etc_root:
    description: Where /etc and dpkg's status file are. Only tests have another tree.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
  diff_mode: {support: none, description: "There is no change to show."}
"""

EXAMPLES = r"""
- name: Which RDMA stack is it
  gpufabric.host.rdma_facts:
    modules: [mlx5_ib, rdma_cm]
    packages: [rdma-core, libibverbs*]
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_rdma:
      type: dict
      description: The RDMA stack.
      contains:
        distribution: {type: dict, description: id and version_id of /etc/os-release}
        kernel: {type: dict, description: "release; modules_installed, false if its modules are not on disk"}
        modules: {type: dict, description: "module -> builtin, loaded, available or missing"}
        packages: {type: dict, description: "installed package -> version, held"}
        vendor_stack: {type: list, description: packages of a stack that is not the distribution's}
        mixed_stack: {type: list, description: packages of the distribution's beside rebuilt ones of the same source}
        by_distribution: {type: list, description: packages of NVIDIA's stack that the distribution makes itself}
        unbuilt: {type: list, description: "NVIDIA's DKMS sources that the running or next kernel has no build of"}
        doca: {type: dict, description: "version of the set that role rdma_stack installed; packages wrong, not_held"}
        devices: {type: dict, description: "RDMA device -> interface, state, link_layer; a bond's has members, gids"}
        bonds: {type: dict, description: "rail that is a bond's member -> bond, and why there is no_device"}
        interfaces: {type: list, description: network interfaces}
        namespaces: {type: str, description: "of RDMA devices: shared, exclusive, empty without ib_core"}
        soft_roce_kept: {type: list, description: interfaces whose Soft-RoCE link comes back at boot}
"""

KEPT = "gpufabric-rxe@"
STATUS = "var/lib/dpkg/status"


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "rails": {"type": "list", "elements": "str", "default": []},
            "modules": {"type": "list", "elements": "str", "default": []},
            "packages": {"type": "list", "elements": "str", "default": []},
            "root": {"type": "path", "default": "/"},
            "etc_root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    root, etc_root = Path(module.params["root"]), Path(module.params["etc_root"])
    if refused := refusal(module.params["rails"], root):
        module.fail_json(msg=refused)
    wants = etc_root.glob(f"etc/systemd/system/*.device.wants/{KEPT}*.service")
    facts = {
        "distribution": distribution(etc_root),
        "kernel": kernel(root),
        "modules": modules(root, module.params["modules"]),
        "packages": packages(etc_root / STATUS, module.params["packages"]),
        "vendor_stack": vendor_stack(etc_root / STATUS),
        "mixed_stack": mixed(etc_root / STATUS),
        "by_distribution": by_distribution(etc_root / STATUS),
        "unbuilt": unbuilt(etc_root, kernels(root, etc_root).values()),
        "doca": doca_set(etc_root),
        "devices": devices(root),
        "bonds": bonds(root, module.params["rails"]),
        "interfaces": names(root / "sys/class/net"),
        "namespaces": namespaces(root),
        "soft_roce_kept": sorted(of_instance(path.name[len(KEPT) : -len(".service")]) for path in wants),
    }
    module.exit_json(changed=False, ansible_facts={"gpufabric_rdma": facts})


if __name__ == "__main__":
    main()

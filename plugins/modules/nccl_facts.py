"""Ansible module: NCCL's settings on this host, and the mistakes in them. See DOCUMENTATION."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.nccl_settings import (
    FOLLOWS,
    Setting,
    contradictions,
    effective,
    read_conf,
    read_environment,
)
from ansible_collections.gpufabric.host.plugins.module_utils.port_kinds import refusal
from ansible_collections.gpufabric.host.plugins.module_utils.rdma_state import device_of, names

DOCUMENTATION = r"""
module: nccl_facts
short_description: What NCCL and other RDMA libraries will read on this host, and what of it is a mistake
description:
  - Reads NCCL's configuration files as NCCL does, the files that put variables into every login's environment, and the
    RDMA devices of the rails; judges each setting against the policy. Changes nothing.
  - A job's own environment (its script, its container) is out of reach. A container reads its own /etc/nccl.conf.
options:
  rails:
    description: Interfaces of the rails, to find their RDMA devices.
    type: list
    elements: str
    default: []
  wanted:
    description: Variable to value, as the policy wants them. NCCL_IB_HCA is found from the rails.
    type: dict
    default: {}
  libraries:
    description: Variable to traffic class, of libraries besides NCCL, as the policy wants them.
    type: dict
    default: {}
  root:
    description: Where /sys is. Only tests have another tree.
    type: path
    default: /
  etc_root:
    description: Where /etc and /root are. Only tests have another tree.
    type: path
    default: /
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
  diff_mode: {support: none, description: "There is no change to show."}
"""

EXAMPLES = r"""
- name: What will NCCL do
  gpufabric.host.nccl_facts:
    rails: [rail0, rail1]
    wanted: {NCCL_IB_TC: "106"}
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_nccl:
      type: dict
      description: What NCCL will read.
      contains:
        settings: {type: dict, description: "variable -> value, file, line and managed (ours) of the line that counts"}
        hcas: {type: dict, description: "rail -> RDMA device, empty if it has none"}
        interfaces: {type: list, description: network interfaces}
        contradictions: {type: list, description: "mistakes: file, line, text, problem, remedy, managed, sentence"}
        wanted: {type: dict, description: "O(wanted), and NCCL_IB_HCA from the rails' devices if all have one"}
        missing: {type: list, description: wanted variables that nothing sets}
"""

CONF_FILES = ("root/.nccl.conf", "etc/nccl.conf")
"""In NCCL's order, for root's jobs."""

ENVIRONMENT_FILES = ("etc/environment", "etc/profile", "etc/bash.bashrc", "etc/systemd/system.conf")
ENVIRONMENT_FOLDERS = (
    ("etc/profile.d", "*.sh"),
    ("etc/environment.d", "*.conf"),
    ("etc/systemd/system.conf.d", "*.conf"),
)


UCX_CONF = "etc/ucx/ucx.conf"
"""Of a UCX with the prefix /usr, as distributions build it (openucx/ucx docs/source/faq.md); the environment counts
before it."""


def environment(root: Path, others: Iterable[str] = ()) -> list[Setting]:
    """Every setting in the environment of logins or services. ``others``: variables besides NCCL's."""
    folders = (path for folder, pattern in ENVIRONMENT_FOLDERS for path in sorted((root / folder).glob(pattern)))
    files = [*(root / name for name in ENVIRONMENT_FILES), *folders, root / UCX_CONF]
    return [
        setting for path in files for setting in read_environment(f"/{path.relative_to(root)}", content(path), others)
    ]


def content(path: Path) -> str:
    """A file's text unchanged; empty if it does not exist."""
    return path.read_bytes().decode("utf-8", errors="replace") if path.is_file() else ""


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "rails": {"type": "list", "elements": "str", "default": []},
            "wanted": {"type": "dict", "default": {}},
            "libraries": {"type": "dict", "default": {}},
            "root": {"type": "path", "default": "/"},
            "etc_root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    root, etc_root = Path(module.params["root"]), Path(module.params["etc_root"])
    rails, wanted = module.params["rails"], {name: str(value) for name, value in module.params["wanted"].items()}
    if refused := refusal(rails, root):
        module.fail_json(msg=refused)
    libraries = {name: str(value) for name, value in module.params["libraries"].items()}
    hcas = {rail: device_of(root, rail) for rail in rails}
    if hcas and all(hcas.values()):
        wanted["NCCL_IB_HCA"] = "=" + ",".join(hcas.values())
    read = [read_conf(f"/{name}", content(etc_root / name)) for name in CONF_FILES]
    conf = [setting for settings, _ in read for setting in settings]
    surroundings = environment(etc_root, libraries)
    every = {**wanted, **libraries}
    wrong = [odd for _, found in read for odd in found] + contradictions([*surroundings, *conf], every, rails)
    counts = effective(surroundings, conf)
    facts = {
        "settings": {
            name: asdict(each)
            for name, each in sorted(counts.items())
            if name.startswith("NCCL_") or name in (*libraries, *FOLLOWS)
        },
        "hcas": hcas,
        "interfaces": names(root / "sys/class/net"),
        "contradictions": [{**asdict(each), "sentence": each.sentence()} for each in wrong],
        "wanted": wanted,
        "missing": sorted(name for name in every if name not in counts),
    }
    module.exit_json(changed=False, ansible_facts={"gpufabric_nccl": facts})


if __name__ == "__main__":
    main()

"""Ansible module: make one nftables table in the kernel equal to a ruleset. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: nft_table
short_description: One nftables table in the kernel exactly as a ruleset says
description:
  - Compares the table in the kernel with what O(ruleset) makes of it, and loads O(ruleset) if they differ. So a rule
    that was deleted by hand, or a table lost to C(nft flush ruleset), comes back. Other tables are not touched.
  - What the ruleset makes is found by loading it into an empty network namespace, which also shows whether nft takes it
    before anything is changed. Both sides are then printed by the same nft, so that its version does not matter.
options:
  family:
    description: Family of the table.
    type: str
    default: inet
  name:
    description: Name of the table.
    type: str
    required: true
  ruleset:
    description: In nft's language. It must replace the table in one transaction, that is, delete it before it makes it.
    type: str
    required: true
requirements: [nft, unshare of util-linux]
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: Nothing is forwarded from a to b
  gpufabric.host.nft_table:
    name: guard
    ruleset: |
      table inet guard
      delete table inet guard
      table inet guard {
        chain forward {
          type filter hook forward priority filter; policy accept;
          iifname a oifname b drop
        }
      }
"""

RETURN = r"""
listing:
  description: The table as nft lists it, without counters, after the module ran (in check mode, as it would be).
  type: str
  returned: always
"""

SCRIPT = 'nft -f "$1" && exec nft -s list table "$2" "$3"'


def wanted(module: AnsibleModule) -> str:
    """The ruleset's table in nft's own listing, made in an empty network namespace."""
    family, name, ruleset = (module.params[key] for key in ("family", "name", "ruleset"))
    scratch = Path(module.tmpdir) / "ruleset.nft"
    scratch.write_text(ruleset, encoding="utf-8")
    command = ["unshare", "--net", "sh", "-c", SCRIPT, "sh", str(scratch), family, name]
    code, out, err = module.run_command(command)
    if code != 0:
        module.fail_json(msg=f"nft does not take the ruleset, nothing was changed: {(err or out).strip()}")
    return str(out)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "family": {"type": "str", "default": "inet"},
            "name": {"type": "str", "required": True},
            "ruleset": {"type": "str", "required": True},
        },
        supports_check_mode=True,
    )
    family, name, ruleset = (module.params[key] for key in ("family", "name", "ruleset"))
    header = {"before_header": f"table {family} {name}", "after_header": f"table {family} {name}"}
    if module.get_bin_path("nft") is None:
        if module.check_mode:  # check mode on a host where the package would be installed first
            module.exit_json(changed=True, listing=ruleset, diff={**header, "before": "", "after": ruleset})
        module.fail_json(msg="no program nft on this host; install the package nftables")
    shall_be = wanted(module)
    code, is_now, err = module.run_command(["nft", "-s", "list", "table", family, name])
    if code != 0 and "No such file" not in err:
        module.fail_json(msg=f"cannot read table {family} {name}: {err.strip()}")
    is_now = is_now if code == 0 else ""
    changed = is_now != shall_be
    if changed and not module.check_mode:
        code, out, err = module.run_command(["nft", "-f", "-"], data=ruleset)
        if code != 0:
            module.fail_json(msg=f"nft did not load table {family} {name}: {(err or out).strip()}")
    module.exit_json(changed=changed, listing=shall_be, diff={**header, "before": is_now, "after": shall_be})


if __name__ == "__main__":
    main()

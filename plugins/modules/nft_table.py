"""Ansible module: make one nftables table in the kernel equal to a ruleset. See DOCUMENTATION."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.nft_listing import made, without_found

DOCUMENTATION = r"""
module: nft_table
short_description: One nftables table in the kernel exactly as a ruleset says
description:
  - Compares the table in the kernel with what O(ruleset) makes of it, and loads O(ruleset) if they differ. So a rule
    that was deleted by hand, or a table lost to C(nft flush ruleset), comes back. Other tables are not touched.
    What packets put into a set (C(flags dynamic)) is not compared.
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
  take_back_after_s:
    description:
      - Before something is changed, a timer of systemd is started that brings the table back as it was, so that rules
        that shut out Ansible do not last. Stop RV(take_back_timer) to keep them; until then nothing more is
        changed.
      - A table that comes back has the sets' elements without what packets put there.
      - 0 starts none.
    type: int
    default: 0
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
take_back_timer:
  description: The timer that brings the table back.
  type: str
  returned: when one was started
"""


def wanted(module: AnsibleModule) -> str:
    """The ruleset's table in nft's own listing, made in an empty network namespace."""
    family, name, ruleset = (module.params[key] for key in ("family", "name", "ruleset"))
    code, out, err = made(module.run_command, ruleset, Path(module.tmpdir) / "ruleset.nft", family, name)
    if code != 0:
        module.fail_json(msg=f"nft does not take the ruleset, nothing was changed: {(err or out).strip()}")
    return str(out)


class TakeBack:
    """The timer that brings a table back."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.family, self.name = module.params["family"], module.params["name"]
        self.unit = f"{self.name}-take-back"
        self.file = Path("/run") / f"{self.unit}.nft"

    @property
    def timer(self) -> str:
        """Its name."""
        return f"{self.unit}.timer"

    def refuse_while_waiting(self) -> None:
        """One change after the other."""
        code, _, _ = self.module.run_command(["systemctl", "is-active", "--quiet", self.timer])
        if code == 0:
            self.module.fail_json(
                msg=f"table {self.family} {self.name} was changed and not confirmed; it is brought back soon.  "
                f"Run again then; `systemctl list-timers {self.timer}` says when"
            )

    def start(self, before: str) -> None:
        """Bring it back after so long, as it is now; without it, take it away."""
        table = f"table {self.family} {self.name}"
        self.file.write_text(f"{table}\ndelete {table}\n{before}", encoding="utf-8")
        code, out, err = self.module.run_command(["unshare", "--net", "nft", "-c", "-f", str(self.file)])
        if code != 0:
            self.module.fail_json(
                msg=f"nothing was changed, as nft could not bring {table} back: {(err or out).strip()}"
            )
        after = f"--on-active={self.module.params['take_back_after_s']}s"
        how = ["--quiet", "--collect", f"--unit={self.unit}", after, "--timer-property=AccuracySec=100ms"]
        self.module.run_command(["systemd-run", *how, "nft", "-f", str(self.file)], check_rc=True)

    def stop(self) -> None:
        """Nothing was changed after all."""
        self.module.run_command(["systemctl", "stop", self.timer])


def load(module: AnsibleModule, before: str) -> dict[str, str]:
    """Make the table so."""
    take_back = TakeBack(module) if module.params["take_back_after_s"] else None
    if take_back is not None:
        take_back.refuse_while_waiting()
        take_back.start(before)
    code, out, err = module.run_command(["nft", "-f", "-"], data=module.params["ruleset"])
    if code != 0:
        if take_back is not None:
            take_back.stop()
        family, name = module.params["family"], module.params["name"]
        module.fail_json(msg=f"nft did not load table {family} {name}: {(err or out).strip()}")
    return {} if take_back is None else {"take_back_timer": take_back.timer}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "family": {"type": "str", "default": "inet"},
            "name": {"type": "str", "required": True},
            "ruleset": {"type": "str", "required": True},
            "take_back_after_s": {"type": "int", "default": 0},
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
    is_now = without_found(is_now) if code == 0 else ""
    changed = is_now != shall_be
    more = load(module, is_now) if changed and not module.check_mode else {}
    diff = {**header, "before": is_now, "after": shall_be}
    module.exit_json(changed=changed, listing=shall_be, diff=diff, **more)


if __name__ == "__main__":
    main()

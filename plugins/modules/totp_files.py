"""Ansible module: one file of pam_google_authenticator for each person, its own state kept. See DOCUMENTATION."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: totp_files
short_description: Secrets of time-based one-time codes, a file for each person
description:
  - Files that C(pam_google_authenticator) reads. It also writes them (codes that were used, attempts of the last
    seconds), so only the secret and the options are compared, and a file that has both is left alone.
  - Files of people who are not in O(secrets) are removed. No diff is shown.
options:
  folder:
    description: Holds nothing else.
    type: path
    required: true
  secrets:
    description: Person -> secret in base32.
    type: dict
    required: true
  options:
    description: Lines of options, without the leading quote.
    type: list
    elements: str
    default: [RATE_LIMIT 3 30, WINDOW_SIZE 3, DISALLOW_REUSE, TOTP_AUTH]
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns whether it would."}
  diff_mode: {support: none, description: "Secrets are not shown."}
"""

EXAMPLES = r"""
- name: Second factors
  gpufabric.host.totp_files:
    folder: /etc/gpufabric/bastion/totp
    secrets: "{{ bastion_totp_secrets }}"
"""

RETURN = r"""
written:
  description: People whose file was written.
  type: list
  elements: str
  returned: always
removed:
  description: People whose file was removed.
  type: list
  elements: str
  returned: always
"""

ARGUMENTS = {"RATE_LIMIT": 2, "DISALLOW_REUSE": 0}
"""Option -> how many of its words are ours; the module appends what it remembers."""


def without_state(text: str) -> list[str]:
    """The lines of a file less what pam_google_authenticator remembers in it."""
    lines = text.splitlines()
    found = lines[:1]
    for line in lines[1:]:
        option = re.match(r'" (\S+)', line)
        if option and option[1] in ARGUMENTS:
            found.append(" ".join(line.split()[: 2 + ARGUMENTS[option[1]]]))
        else:  # codes of one use among them: none were given
            found.append(line)
    return found


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "folder": {"type": "path", "required": True},
            "secrets": {"type": "dict", "required": True, "no_log": True},
            "options": {
                "type": "list",
                "elements": "str",
                "default": ["RATE_LIMIT 3 30", "WINDOW_SIZE 3", "DISALLOW_REUSE", "TOTP_AUTH"],
            },
        },
        supports_check_mode=True,
    )
    folder, secrets = Path(module.params["folder"]), module.params["secrets"]
    there = {path.name: path for path in folder.iterdir() if path.is_file()} if folder.is_dir() else {}
    wanted = {name: [secret, *(f'" {each}' for each in module.params["options"])] for name, secret in secrets.items()}
    written = [name for name, lines in wanted.items() if not is_so(there.get(name), lines)]
    removed = [name for name in there if name not in wanted]
    if not module.check_mode:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in written:
            write(folder / name, "\n".join(wanted[name]) + "\n")
        for name in removed:
            there[name].unlink()
    module.exit_json(changed=bool(written or removed), written=written, removed=removed)


def is_so(path: Path | None, lines: list[str]) -> bool:
    """Has the file this secret and these options, for root's eyes alone?"""
    if path is None or path.stat().st_mode & 0o077 or path.stat().st_uid != os.geteuid():
        return False
    return without_state(path.read_text(encoding="ascii", errors="replace")) == lines


def write(path: Path, text: str) -> None:
    """At once or not at all; no other user can read it at any time."""
    scratch = path.with_name(f".{path.name}.new")
    with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    scratch.replace(path)


if __name__ == "__main__":
    main()

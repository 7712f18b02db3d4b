"""Ansible module: make whole sets of files equal to the wanted ones, in one task. See DOCUMENTATION."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.file_sets import FOLDER, apply, mistakes, steps, validate

DOCUMENTATION = r"""
module: files_in_sync
short_description: Make sets of files exactly so, and remove what is left over
description:
  - Each folder of O(folders) is one set. In its O(folders[].path), the files whose names begin with
    O(folders[].prefix) become exactly O(folders[].files), in content, mode and owner. A file of that prefix that is
    not asked for any more is removed. Files of other names are never touched.
  - One task does for any number of files, which matters where a task takes seconds.
  - Nothing is written if O(validate) refuses what the folders would hold.
options:
  folders:
    description: The sets. Two of them may share a path if neither prefix begins with the other.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Absolute path of the folder. It is made (mode 0755) if there is something to put into it.
        type: path
        required: true
      prefix:
        description: What the names of our files begin with, and no others do.
        type: str
        required: true
      files:
        description: Name to content. An empty one removes all files of the prefix.
        type: dict
        required: true
      mode:
        description: Mode of each file.
        type: str
        default: "0644"
  validate:
    description:
      - Command to run before anything is written. C(%s) in it is replaced by a scratch folder that holds a copy of each
        folder at its own path, other people's files included, as they would be afterwards.
      - It is run only if something would change.
    type: str
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: One link and one network file per rail
  gpufabric.host.files_in_sync:
    folders:
      - path: /etc/systemd/network
        prefix: 05-gpufabric-
        files:
          05-gpufabric-rail0.link: |
            [Match]
            Path=*pci-0000:00:10.0
            [Link]
            Name=rail0
"""

RETURN = r"""
written:
  description: Paths of the files whose content, mode or owner was changed.
  type: list
  elements: str
  returned: always
removed:
  description: Paths of the files that were removed.
  type: list
  elements: str
  returned: always
"""


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "folders": {"type": "list", "elements": "dict", "required": True, "options": FOLDER},
            "validate": {"type": "str"},
        },
        supports_check_mode=True,
    )
    folders = module.params["folders"]
    wrong = mistakes(folders)
    if wrong:
        module.fail_json(msg="; ".join(wrong))
    every = [step for folder in folders for step in steps(folder)]
    if module.params["validate"] and any(step.now != step.wanted for step in every):
        validate(module, folders, module.params["validate"])
    diffs = {step: apply(module, step) for step in every}
    changed = [step for step, diff in diffs.items() if diff]
    module.exit_json(
        changed=bool(changed),
        written=[str(step.path) for step in changed if step.wanted is not None],
        removed=[str(step.path) for step in changed if step.wanted is None],
        diff=[diff for diff in diffs.values() if diff],
    )


if __name__ == "__main__":
    main()

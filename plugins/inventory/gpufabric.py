"""Ansible inventory plug-in: the hosts of a site, from its intent. The mapping is nornir_tasks/usecases/hosts.py."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin

from ansible_collections.gpufabric.host.plugins.plugin_utils.site_files import NAMES, holds_no_hosts, tell

DOCUMENTATION = r"""
name: gpufabric
short_description: The hosts of a site, with what its design says of them
description: Reads C(fabric.yml) and gives every host the variables of the roles, in the group of its playbook.
options:
  plugin: {description: C(gpufabric.host.gpufabric)., required: true, choices: [gpufabric.host.gpufabric]}
  site: {description: "A name (C(./inventory), here, built in; -v shows which) or path, from here or there", type: str}
  planned:
    description: Also list the hosts that the lab has no machine for, in a group of this name.
    type: bool
    default: false
    env: [{name: GPUFABRIC_PLANNED}]
  groups: {description: Groups., type: list, elements: str, default: [network, storage, firewalls, balancers, bastions]}
"""


class InventoryModule(BaseInventoryPlugin):
    """Files named gpufabric.yml; of what else lies beside one, those that are no inventories, as empty ones."""

    NAME = "gpufabric.host.gpufabric"

    def verify_file(self, path: str) -> bool:
        return super().verify_file(path) and (path.endswith(NAMES) or holds_no_hosts(Path(path)))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:  # noqa: ANN401 - Ansible's types
        super().parse(inventory, loader, path, cache)
        if not path.endswith(NAMES):
            return
        self._read_config_data(path)
        try:
            from nornir_tasks.errors import GpufabricError  # noqa: PLC0415 - to say what to do when it is missing
            from nornir_tasks.files.site import find_site  # noqa: PLC0415
            from nornir_tasks.usecases import hosts  # noqa: PLC0415
        except ImportError as error:
            raise AnsibleParserError(f"gpufabric is not installed for {sys.executable}: {error}") from error
        try:
            site = find_site(hosts.named_site(self.get_option("site"), Path(path)))
            self.display.v(f"gpufabric: the site is {site}")
            found = hosts.inventory(site, with_planned=self.get_option("planned"))
        except GpufabricError as error:
            raise AnsibleParserError(str(error)) from error
        tell(inventory, found, self.get_option("groups"))

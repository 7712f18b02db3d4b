"""Ansible action plug-in: judge a host against its variables. See plugins/modules/host_validate.py for what it returns.

It runs on the controller: it reads the facts with the roles' modules, changes nothing, and calls
nornir_tasks/checks/hosts/host_suite.py to judge them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.template import trust_as_template

from ansible_collections.gpufabric.host.plugins.plugin_utils.host_bundle import bundle

try:
    from nornir_tasks import checks
    from nornir_tasks.checks.hosts.boundary_parts import GENERATED, files
    from nornir_tasks.checks.hosts.host_evidence import HostEvidence
    from nornir_tasks.checks.hosts.host_suite import judge_host, missing, own_plan, requests
    from nornir_tasks.checks.hosts.host_suite import roles as roles_of
except ImportError as error:
    raise AnsibleActionFail(f"gpufabric is not installed for {sys.executable}: {error}") from error


class ActionModule(ActionBase):
    """Reads, judges, reports; a failed check is returned, not raised, so that the role can write its report first."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        given = task_vars or {}
        if problems := missing(given):  # first, because defaults refer to some of them
            raise AnsibleActionFail("\n".join(problems))
        variables = self._variables(given)
        if self._task.args.get("plan"):
            without = self._task.args.get("without") or ()
            plan = {**own_plan(variables, without=without), "host": given["inventory_hostname"]}
            return {**result, "changed": False, "plan": plan, "sources": bundle(plan, Path(checks.__path__[0]))}
        facts, unread = {}, {}
        for request in requests(variables):
            answer = self._execute_module(
                module_name=request.module, module_args=dict(request.arguments), task_vars=given
            )
            if "ansible_facts" in answer and request.fact in answer["ansible_facts"]:
                facts[request.fact] = answer["ansible_facts"][request.fact]
            elif "rc" in answer and request.module == "ansible.legacy.command":
                facts[request.fact] = {
                    "rc": answer["rc"],
                    "stdout": answer["stdout"],
                    "stderr": answer.get("stderr", ""),
                }
            else:
                unread[request.fact] = str(answer.get("msg", "the module failed without a word"))
        report = judge_host(HostEvidence(given["inventory_hostname"], variables, facts, unread))
        return {**result, "changed": False, **report.as_data()}

    def _variables(self, given: dict[str, Any]) -> dict[str, Any]:
        """The roles' variables: their defaults, overridden by the inventory."""
        own: dict[str, Any] = {}
        roles = Path(self._task._role.get_role_path()).parent if self._task._role else Path("roles")  # noqa: SLF001
        among = roles_of(given)
        for role in among:
            own |= self._read(roles / role / "defaults" / "main.yml")
        own |= {name: value for name, value in given.items() if name.startswith(tuple(f"{role}_" for role in among))}
        found: dict[str, Any] = self._templar.copy_with_new_env(available_variables={**own, **given}).template(own)
        return {**found, **self._generated(roles, found, given)}

    def _generated(self, roles: Path, known: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
        """What the templates of the boundary's roles give, by path; nothing of other hosts."""
        texts = {}
        for path, (role, template) in files(given).items():
            private = self._read(roles / role / "vars" / "main.yml")
            values = {**private, **given, **known, "ansible_search_path": [str(roles / role)]}
            templar = self._templar.copy_with_new_env(available_variables=values)
            is_template = template.endswith(".j2")
            words = f"'template', '{template}'" if is_template else f"'file', '{template}', rstrip=false"
            texts[path] = str(templar.template(trust_as_template(f"{{{{ lookup('ansible.builtin.' ~ {words}) }}}}")))
        return {GENERATED: texts} if texts else {}

    def _read(self, path: Path) -> dict[str, Any]:
        """A role's own variables; none where it has no such file."""
        return (self._loader.load_from_file(str(path), trusted_as_template=True) or {}) if path.exists() else {}

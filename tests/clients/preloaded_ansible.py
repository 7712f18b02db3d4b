"""``ansible-playbook`` without the seconds that imports take, for modules of one collection (``preloaded.py``).

Ansible loads a network module and what belongs to it anew for each task, from source, and starts Python anew for each
task's look at its connection: more than a second of processor time a task. Here the processes are the same, but forked
from one that has loaded all that. Nothing of Ansible or of a collection is changed.
"""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

from tests.preloaded import Order, Server, serve

PLAYBOOK, CONNECTION = "playbook", "connection"


# -- the test's side -----------------------------------------------------------------------------------------------


def ansible_playbook(modules: Iterable[str], *words: str, timeout_s: float) -> CompletedProcess[str]:
    """Run ``ansible-playbook WORDS`` from a process that has loaded these modules (``cisco.nxos.nxos_facts``)."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE")}
    started = _server(*sorted(set(modules))).start(PLAYBOOK, *words, environ=environ)
    return started.completed(words, timeout_s)


@cache
def _server(*modules: str) -> Server:
    made = Server("tests.clients.preloaded_ansible", *modules)
    atexit.register(made.close)
    return made


# -- the server's side ---------------------------------------------------------------------------------------------


def settings(folder: Path) -> dict[str, str]:
    """Ansible's defaults, results as JSON, a minute for slow switches, and our way to start a connection.

    It looks for a task's end every 10 ms instead of every ms, which alone took a tenth of the processor time.

    Ansible reads most settings when it is loaded, so that they are the same for all that is forked.
    """
    (folder / "ansible.cfg").write_text("[defaults]\ninternal_poll_interval = 0.01\n")
    return {
        "ANSIBLE_CONFIG": str(folder / "ansible.cfg"),
        "ANSIBLE_HOME": str(folder / "home"),
        "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
        "ANSIBLE_PERSISTENT_CONNECT_TIMEOUT": "60",
        "ANSIBLE_PERSISTENT_COMMAND_TIMEOUT": "60",
        # ansible-core 2.19, executor/task_executor.py, start_connection: what it starts in place of its own script
        "_ANSIBLE_CONNECTION_PATH": str(Path(__file__).with_name("connection_by_server.py")),
        "GPUFABRIC_PRELOADED_ANSIBLE": str(folder / "socket"),
    }


def load(modules: Iterable[str]) -> None:
    """All that tasks of these modules load: themselves, what reaches the system that is in their names, and Ansible's.

    A plug-in that a loader has had once is kept with its options, which are read from its documentation.
    """
    from ansible.plugins import loader  # noqa: PLC0415

    loader.init_plugin_loader()
    for each in modules:
        collection, _, name = each.rpartition(".")
        system = f"{collection}.{name.partition('_')[0]}"
        importlib.import_module(f"ansible_collections.{collection}.plugins.modules.{name}")
        for of_system in (loader.action_loader, loader.httpapi_loader, loader.cliconf_loader):
            of_system.get(system, class_only=True)
    for name in ("ansible.netcommon.httpapi", "ssh", "local"):
        loader.connection_loader.get(name, class_only=True)
    loader.shell_loader.get("sh", class_only=True)
    loader.strategy_loader.get("linear", class_only=True)
    loader.callback_loader.get("ansible.posix.json", class_only=True)
    for every in (loader.callback_loader, loader.cache_loader, loader.vars_loader, loader.inventory_loader):
        list(every.all(class_only=True))
    warnings.filterwarnings("ignore", "AnsibleCollectionFinder has already been configured")


def main(folder: Path, modules: list[str]) -> None:
    """Serve playbooks, and the connections that they start."""
    own = settings(folder)
    os.environ.update(own)
    from ansible.cli import playbook  # noqa: PLC0415  the settings are read now
    from ansible.cli.scripts import ansible_connection_cli_stub as connection  # noqa: PLC0415
    from ansible.utils.path import cleanup_tmp_file  # noqa: PLC0415

    load(modules)
    atexit.unregister(cleanup_tmp_file)  # the first child that ends would take the others' folder away

    def become(order: Order) -> None:
        os.environ.update(own)
        program, *words = order["words"]
        sys.argv = [program, *words]
        {PLAYBOOK: playbook, CONNECTION: connection}[program].main()

    serve(folder, become)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

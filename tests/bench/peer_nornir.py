"""Plain nornir with nornir-napalm, as they come, on the lab's EOS switches."""

from collections.abc import Callable
from pathlib import Path

import yaml


def peer(lab, leaves) -> Callable[[], object]:
    """Plain nornir with nornir-napalm: the whole owned configuration as a merge candidate, compared and discarded."""
    import ssl

    from nornir.core import Nornir
    from nornir.core.inventory import ConnectionOptions, Defaults, Groups, Host, Hosts, Inventory
    from nornir.core.plugins.connections import ConnectionPluginRegister
    from nornir.plugins.runners import ThreadedRunner
    from nornir_napalm.plugins.connections import Napalm
    from nornir_napalm.plugins.tasks import napalm_configure

    spec = yaml.safe_load((lab.directory / "spec.json").read_text())
    devices = {each["name"]: each for each in spec["devices"]}
    password = Path(spec["password_file"]).read_text().strip()
    context = ssl.create_default_context(cafile=spec["ca"])
    ConnectionPluginRegister.register("napalm", Napalm)

    def host(name: str) -> Host:
        optional = {"transport": "https", "port": devices[name]["api_port"], "context": context}
        options = ConnectionOptions(extras={"optional_args": optional})
        address = devices[name]["address"]
        return Host(name, address, None, spec["username"], password, "eos", connection_options={"napalm": options})

    inventory = Inventory(Hosts({name: host(name) for name in leaves}), Groups(), Defaults())
    texts = {name: "\n".join(line for line in each.text.splitlines() if line != "end") for name, each in leaves.items()}

    def job() -> None:
        made = Nornir(inventory=inventory, runner=ThreadedRunner(num_workers=64))
        result = made.run(task=lambda task: napalm_configure(task, dry_run=True, configuration=texts[task.host.name]))
        made.close_connections()
        assert not result.failed, {name: each[0].exception for name, each in result.items() if each.failed}

    return job

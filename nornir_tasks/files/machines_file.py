"""``hosts.yml`` below ``<state>/lab``, of machines and of the boundary's hosts: those that are up, for Ansible.

gpu-1: {ansible_host: 127.0.0.1, ansible_port: 40022, ansible_user: root, ...}
"""

from pathlib import Path
from typing import Any

from pydantic import ConfigDict, RootModel

from nornir_tasks.files.marked_yaml import read_marked
from nornir_tasks.files.model_errors import validate

NAME = "hosts.yml"
LACKS: dict[str, Any] = {"rdma_stack_provider": "rxe", "gpudirect_rails": []}
"""What machines have in the place of a ConnectX and of GPUs; of no meaning for hosts that the design gives neither."""
FOLDERS = ("machines", "boundary")
"""Of machines, and of the boundary's hosts."""


class Machines(RootModel[dict[str, dict[str, Any]]]):
    """Name of a machine -> Ansible variables that are the machine's own: how it is reached, what it lacks."""

    model_config = ConfigDict(strict=True, frozen=True)


def load_machines(state_directory: Path) -> dict[str, dict[str, Any]]:
    """The machines of a site's lab; none when it has none. Raises IntentError for a file that is not as above."""
    files = [state_directory / "lab" / folder / NAME for folder in FOLDERS]
    found = [validate(Machines, read_marked(file)).root for file in files if file.exists()]
    return {name: each for its in found for name, each in its.items()}

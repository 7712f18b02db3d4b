"""What is sent into the machine: the switches' program as it is here, the lab's specification, its password."""

import inspect
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from switch_twins.client import ControlClient

PROGRAM = PurePosixPath("opt/gpufabric")
LAB = PurePosixPath("lab")
"""In memory alone (``gpufabric-init``): the lab's CA and the switches' keys are made there and never leave it."""
EMULATED_BFD_FACTOR = 10
"""Two emulated processors on busy cores were late by more than 900 ms, so that sessions of 3 times 300 ms flapped."""
_SECRETS = LAB / ".secrets"


def parcel(spec: Mapping[str, Any], *, is_emulated: bool) -> bytes:
    """An archive to be unpacked at the machine's root. Raises OSError if something of it cannot be read.

    Compiled modules go along: where this Python is the machine's, nothing has to be compiled there.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        program = Path(inspect.getfile(ControlClient)).parent
        archive.add(program, str(PROGRAM / program.name))
        password = Path(spec["password_file"])
        _add(archive, _SECRETS / password.name, password.read_bytes())
        _add(archive, LAB / "spec.json", json.dumps(there(spec, is_emulated=is_emulated)).encode())
    return packed.getvalue()


def there(spec: Mapping[str, Any], *, is_emulated: bool) -> dict[str, Any]:
    """The specification as the switches' process in the machine reads it."""
    password = _SECRETS / Path(spec["password_file"]).name
    paths = {"dir": LAB, "ca": LAB / "ca.pem", "password_file": password}
    routed = {**spec["routed"], **({"bfd_factor": EMULATED_BFD_FACTOR} if is_emulated else {})}
    return {**spec, **{key: f"/{path}" for key, path in paths.items()}, "routed": routed}


def _add(archive: tarfile.TarFile, path: PurePosixPath, content: bytes) -> None:
    entry = tarfile.TarInfo(str(path))
    entry.size, entry.mode = len(content), 0o600
    archive.addfile(entry, io.BytesIO(content))

"""The only code that talks to switches: one SwitchSession per OS, found by the OS's name."""

import importlib
from types import ModuleType

from nornir_tasks.drivers.session import Endpoint, SwitchSession


def load_driver(os: str) -> ModuleType:
    """Import one OS's driver and its libraries. Call it before threads start: NAPALM's imports are circular."""
    return importlib.import_module(f"{__name__}.{os}")


def open_session(os: str, endpoint: Endpoint) -> SwitchSession:
    """A session for one switch; nothing is sent before its first ``read``."""
    made: SwitchSession = load_driver(os).session(endpoint)
    return made

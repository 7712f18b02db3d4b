"""The only code that talks to switches: one SwitchSession per OS, found by the OS's name."""

import importlib

from nornir_tasks.drivers.session import Endpoint, SwitchSession


def open_session(os: str, endpoint: Endpoint) -> SwitchSession:
    """A session for one switch; nothing is sent before its first ``read``. Only this OS's libraries are imported."""
    made: SwitchSession = importlib.import_module(f"{__name__}.{os}").session(endpoint)
    return made

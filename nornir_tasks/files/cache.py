"""The user's folder for what can be made again at any time."""

import os
from pathlib import Path


def cache_directory() -> Path:
    """``$GPUFABRIC_CACHE``, else ``gpufabric`` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("GPUFABRIC_CACHE") or Path(home) / "gpufabric").absolute()

"""ZIP files in memory: the same parts give the same bytes, as no time and no system is noted."""

import io
import zipfile
from collections.abc import Mapping

_NO_TIME = (1980, 1, 1, 0, 0, 0)
"""The first that a ZIP file can have."""


def zipped(parts: Mapping[str, str]) -> bytes:
    """The file with these parts, by name, in this order."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 0
            package.writestr(entry, text.encode())
    return file.getvalue()

"""The hosts' code is imported as it lies beside the service, by its file's name; recordings are from tests/recorded."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
for folder in (ROOT / "plugins/module_utils", ROOT / "tests/recorded"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

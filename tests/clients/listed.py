"""One client's frozen tests as parameters: those in not_yet.yml must fail, all others must pass, none is left out.

Where a client has tests of one name in several parts of its list, not_yet.yml names them with their part: ``merged X``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).parent
FROZEN = yaml.safe_load((HERE / "frozen.yml").read_text(encoding="utf-8"))
NOT_YET = yaml.safe_load((HERE / "not_yet.yml").read_text(encoding="utf-8")) or {}


def cases(client: str, found: Mapping[str, Any], part: str = "") -> list[Any]:
    """A parameter for each test of a client, or of one ``part`` of its list. Raises ValueError if one is missing."""
    wanted = FROZEN[client][part] if part else FROZEN[client]
    listed = NOT_YET.get(client, {})
    reasons = {name: listed.get(f"{part} {name}", listed.get(name)) for name in wanted}
    reasons = {name: reason for name, reason in reasons.items() if reason}
    unlike = set(found) ^ {name for name in wanted if name in found or name not in reasons}
    if unlike:
        raise ValueError(f"{client}: on the list or here, and not both: {sorted(unlike)}")
    return [
        pytest.param(
            each, id=name, marks=[pytest.mark.xfail(strict=True, reason=reasons[name])] if name in reasons else []
        )
        for name, each in found.items()
    ]

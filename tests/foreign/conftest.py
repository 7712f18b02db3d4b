"""Twins without servers are in the lab's folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "lab"))

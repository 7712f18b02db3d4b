"""``python -m switch_twins SPEC.json``: see process.py."""

import sys

from .process import main

sys.exit(main())

"""``python -m nornir_tasks.lab.fabric_machine SPEC.json IMAGE``: see serve.py."""

import sys

from nornir_tasks.lab.fabric_machine.serve import main

sys.exit(main(sys.argv[1:]))

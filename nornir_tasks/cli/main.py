"""The console script. Ctrl-C is handled before the slow imports."""

import gc
import sys

GC_THRESHOLD = 2_000_000
"""Objects made between two garbage collections. Fabrics and configurations are large trees: Python's own 700 costs a
third of `render`'s time, 200,000 a sixth of `validate`'s with 288 switches, and neither frees anything."""

INTERRUPTED = 130


def main() -> None:
    """Run the command line. Every error of ours ends with its message and exit code, never a traceback."""
    try:
        gc.set_threshold(GC_THRESHOLD)
        from nornir_tasks.cli.ending import run

        code = run()
    except KeyboardInterrupt:  # amid the imports, or a second one amid the words about the first
        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
    sys.exit(code)

"""How busy this machine is: figures of time count where nothing else keeps its processors busy."""

import os


def is_idle() -> bool:
    """Has there been less to do than there are processors, for the last minute?"""
    return os.getloadavg()[0] < (os.cpu_count() or 1)

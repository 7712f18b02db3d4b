"""One file per kind of plane: what its hosts get of each switch, as wishes that merge joins with the fabric's.

Found by scanning (:mod:`nornir_tasks.design.kinds`): each module exposes ``KIND``.
"""

"""One file per kind of plane: what its hosts need of each switch, as partial configurations for merge.

Found by scanning (:mod:`nornir_tasks.design.contribute.known_kinds`): each module exposes ``KIND``.
"""

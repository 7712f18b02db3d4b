"""One file per kind of fabric: its underlay, as partial configurations for merge.

Found by scanning (:mod:`nornir_tasks.design.contribute.known_kinds`): each module exposes ``KIND``.
"""

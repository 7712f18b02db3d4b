"""One file per kind of fabric: its underlay, as wishes that merge joins with those of the planes that ride on it.

Found by scanning (:mod:`nornir_tasks.design.kinds`): each module exposes ``KIND``.
"""

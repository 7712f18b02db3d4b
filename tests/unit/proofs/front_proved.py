"""The small front fabric with flows on both its planes, and what is proved of it."""

from functools import cache

from tests.unit.design import front_full
from tests.unit.proofs.site_proved import Site, site

GUARDED = {"gpu": frozenset({"storage", "business"})}


@cache
def front() -> Site:
    return site(front_full.network(), GUARDED)

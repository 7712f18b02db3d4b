"""What a realised switch shall hold, rendered and split by owner."""

from collections.abc import Collection

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.pipeline import Realised
from nornir_tasks.files.templates import environment


def wanted_of(each: Realised, planes: Collection[str] = ()) -> Wanted:
    """Of these planes; of all, if none is named."""
    return wanted(each.config, each.capabilities, each.claims, environment(each.config.os), planes=planes or None)

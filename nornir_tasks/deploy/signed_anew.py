"""Sessions that go down with a push as it changes their password, and come up once both ends have it."""

from collections.abc import Iterable

from nornir_tasks.design.config.vrfs import SessionKey
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import Change


def signed_anew(config: DeviceConfig, changes: Iterable[Change]) -> frozenset[SessionKey]:
    """The sessions of groups of which a line with a password comes or goes.

    The push does not wait for them after the commit: the far end may be pushed later, and has another one until then.
    """
    lines = (set(" ".join(each.path).split()) for each in changes)
    words = {word for line in lines if not line.isdisjoint({"password", "password:"}) for word in line}
    neighbors = config.bgp.neighbors if config.bgp is not None else ()
    return frozenset(each.key for each in neighbors if each.peer_group in words)

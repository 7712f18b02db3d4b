"""NVUE data of how a switch is reached: ``system.api``."""

from nornir_tasks.design.config.reach import ApiSettings, Reach
from nornir_tasks.platforms.nvue.reading import Data, entries, look, take_empty, take_text, take_word

_API = ("system", "api")


def reach(data: Data) -> Reach:
    """All that the model has of it."""
    return Reach(api=_api(data))


def _api(data: Data) -> ApiSettings | None:
    """The API, if it is on with a certificate of its own; what it listens on beside one address is left."""
    if look(data, *_API, "state") != "enabled" or not isinstance(look(data, *_API, "certificate"), str):
        return None
    certificate = take_text(data, *_API, "certificate") or ""
    take_word(data, "enabled", *_API, "state")
    listened = [address for address, _ in entries(data, *_API, "listening-address")]
    address = listened[0] if len(listened) == 1 else None
    if address is not None and not take_empty(data, *_API, "listening-address", address):
        address = None
    return ApiSettings(certificate, None, address)

"""A plug-in of pytest (``-p named_order``): files run in the order in which they are named."""

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Sort last of all."""
    yield
    places = {name: place for place, name in reversed(list(enumerate(config.args)))}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))

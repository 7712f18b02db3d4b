"""What Toy OS holds: no release yet."""

from nornir_tasks.design.model.capabilities import Capabilities, OsFacts


def capabilities(release: str, asic: str) -> Capabilities:
    """KeyError, until there is a record."""
    raise KeyError(f"release {release} on {asic}")


FACTS = OsFacts("toyos", ("1.0",), capabilities, lambda number: f"port{number}", lambda name: (int(name[4:]),))

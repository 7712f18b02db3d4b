"""A switch that knows the account, and does not let it do what a push or a plan needs: one message for all systems."""

from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.errors import Problem


def missing_right(endpoint: Endpoint, deed: str, needed: str, words: str) -> Problem:
    """``deed``: what the account may not do. ``needed``: who may. ``words``: the switch's own."""
    return Problem(
        where=endpoint.device,
        what=f"account '{endpoint.username}' may not {deed}",
        expected=f"an account with {needed}",
        found=words,
        hint="nothing was changed; give this account the right on the switch, or name another one in the device list",
    )

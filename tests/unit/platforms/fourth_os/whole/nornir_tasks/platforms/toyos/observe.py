"""As on EOS."""

from nornir_tasks.platforms.eos.observe import OBSERVING

__all__ = ["OBSERVING"]

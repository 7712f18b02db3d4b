"""As on EOS."""

from nornir_tasks.platforms.eos.disruption import disruption

__all__ = ["disruption"]

"""As on EOS."""

from nornir_tasks.platforms.eos.ownership import OWNERSHIP, PROTECTED

__all__ = ["OWNERSHIP", "PROTECTED"]

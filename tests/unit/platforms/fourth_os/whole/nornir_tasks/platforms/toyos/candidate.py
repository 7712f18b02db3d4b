"""As on EOS."""

from nornir_tasks.platforms.eos.candidate import candidate, server_changes

__all__ = ["candidate", "server_changes"]

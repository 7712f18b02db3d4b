"""The hash EOS keeps of a local user's password (``secret sha512 $6$SALT$HASH``)."""

from __future__ import annotations

from ..sha512_crypt import matches, sha512_crypt

__all__ = ["matches", "sha512_crypt"]

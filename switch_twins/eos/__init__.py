"""Arista EOS: eAPI, configuration sessions, and a command grammar held to tests/corpus/eos."""

from .twin import EosTwin, build

__all__ = ["EosTwin", "build"]

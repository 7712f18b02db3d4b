"""Arista EOS: eAPI, configuration sessions, and a command grammar checked against tests/corpus/eos."""

from .twin import EosTwin, build

__all__ = ["EosTwin", "build"]

"""A Toy OS switch answers as one of EOS does."""

from switch_twins.eos import build

__all__ = ["build"]

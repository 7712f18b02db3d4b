"""Toy OS is spoken to as EOS is."""

from nornir_tasks.drivers.eos import session

__all__ = ["session"]

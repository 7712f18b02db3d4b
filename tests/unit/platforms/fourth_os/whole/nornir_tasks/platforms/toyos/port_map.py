"""As on EOS."""

from nornir_tasks.platforms.eos.port_map import port_name, sort_key

__all__ = ["port_name", "sort_key"]

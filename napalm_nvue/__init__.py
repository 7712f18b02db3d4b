"""NAPALM finds its drivers as ``napalm_<os>``: this is where ``napalm.get_network_driver("nvue")`` looks."""

from nornir_tasks.drivers.nvue_napalm import NvueDriver

__all__ = ("NvueDriver",)

"""NAPALM looks for ``napalm_<os>``; the driver itself is ``nornir_tasks.drivers.nvue``."""

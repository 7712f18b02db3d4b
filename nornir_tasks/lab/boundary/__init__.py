"""Firewalls' rules in network namespaces of this machine: as the kernel has them, and with packets."""

"""Day 0: what switches fetch at first boot, and the DHCP server's configuration that sends them there.

Pure: tokens, password hashes and templates are arguments. Facts of each system, with sources: docs/day0.md.
"""

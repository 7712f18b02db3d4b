"""Lab machines: real Linux hosts in QEMU, connected to one network namespace that acts as the leaves."""

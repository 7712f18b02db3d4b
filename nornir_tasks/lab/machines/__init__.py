"""Lab machines: real Linux hosts in QEMU, cabled to one network namespace that plays the leaves."""

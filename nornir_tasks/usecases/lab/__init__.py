"""The lab: up, down, faults, exports, hosts and the boundary in it."""

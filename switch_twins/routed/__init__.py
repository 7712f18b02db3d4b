"""The routed lab: real routing under the twins, on Linux and as root.

Each switch has a network namespace with its ports, and an FRR of its own there, told what the switch was told. Cables
are veth pairs. ``switch_twins/<os>/to_frr.py`` reads a twin's own tree; ``fabric.py`` answers from FRR and the kernel.
"""

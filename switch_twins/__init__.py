"""Switch twins: each switch of a lab is a server on loopback that accepts and refuses what its operating system would.

Twins know their configuration and their cables, not the client that pushes to them. They import nothing of the product,
so that a template and the switch that tests it cannot have the same mistake.

``python -m switch_twins SPEC.json`` serves a lab; ``client.ControlClient`` controls it. README.md has an example.
"""

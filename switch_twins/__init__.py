"""Switch twins: each switch of a lab is a server on loopback that accepts and refuses what its operating system would.

Twins know what was pushed to them over the wire and how they are cabled, and nothing of who pushes it. They import
nothing of the product, so that a template and the switch it is tested on cannot be wrong together.

``python -m switch_twins SPEC.json`` serves a lab; ``client.ControlClient`` asks it. README.md has an example.
"""

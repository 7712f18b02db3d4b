"""Lab twins: each switch of a lab is a server on loopback that accepts and refuses what its operating system would.

Twins know what was pushed to them over the wire and how they are cabled, never the intent. They import nothing of the
product but its exception tree, so that a template and the switch it is tested on cannot be wrong together.
"""

"""gpufabric: one intent file brings up both ends of every cable of a GPU cluster's network.

ARCHITECTURE.md tells how the parts hang together; ``design/pipeline.py`` is the table of contents.
"""

__version__ = "0.1.0"

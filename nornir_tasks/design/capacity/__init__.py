"""Does it fit, and what does it carry: tables, cables, throughput, order of first boots."""

"""One file per plane: what the plane wants of each switch, as contributions that merge joins."""

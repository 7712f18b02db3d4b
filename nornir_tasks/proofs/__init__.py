"""Proofs on configurations: what a network does is concluded from its switches' lines, never from the intent alone."""

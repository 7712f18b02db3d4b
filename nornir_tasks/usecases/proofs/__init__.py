"""Proofs over a design and its configurations, and what they report."""

"""Rules over keys, within a part and between parts."""

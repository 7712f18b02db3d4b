"""Values, places and findings: what every key of the intent is made of."""

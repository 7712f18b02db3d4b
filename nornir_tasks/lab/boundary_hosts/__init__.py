"""The boundary's hosts as part of a lab: system containers of this machine, and who stands in each zone."""

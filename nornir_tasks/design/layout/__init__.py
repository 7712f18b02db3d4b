"""Which switches there are and what is cabled to what: tiers, sizes, pods, racks, media, port names."""

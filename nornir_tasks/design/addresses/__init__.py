"""Numbers: addresses of links and loopbacks, AS numbers, VLANs, MTUs, prefixes."""

"""What a design is made of: devices, links, planes, the catalogue, what systems can do, claims and owners' order."""

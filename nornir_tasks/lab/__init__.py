"""The built-in lab: protocol servers that stand in for switches, so that real drivers have something to talk to."""

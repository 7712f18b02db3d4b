"""What the intent asks for, fabric by fabric: hosts and NICs, kinds of planes, classes, flows, ways out."""

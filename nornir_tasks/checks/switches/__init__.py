"""What is looked at on a switch, one file a check."""

"""What each fabric, plane and the base bring to one switch, and how that becomes one configuration."""

"""What one operating system makes of a configuration: names, limits and words of its own."""

"""A site of one's own: made from a few answers or from a built-in site, and kept up with a design that grows."""

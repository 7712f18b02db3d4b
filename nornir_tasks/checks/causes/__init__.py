"""What failed checks have in common: the one fault that explains them."""

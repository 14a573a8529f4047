"""The product's own commands."""

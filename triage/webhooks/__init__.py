"""What forges tell us."""

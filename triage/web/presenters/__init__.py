"""What pages show: small frozen values, so that templates hold no arithmetic."""

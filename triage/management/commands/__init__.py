"""One module per command of ``tiebreak``."""

"""A history of real model calls, replayed to show what Tiebreak says of a pull request."""

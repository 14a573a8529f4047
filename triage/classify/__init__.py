"""Step 5, what differs in a failing case. Knows no Django."""

"""Step 8, tell the verdict to people."""

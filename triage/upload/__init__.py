"""Step 1, take a report over HTTP or from the command line and keep it."""

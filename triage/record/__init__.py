"""Step 3, the identity of cases and the rows of a report, written once however often it runs."""

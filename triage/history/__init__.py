"""Step 4, tallies of what each case did, and the window of them that counts."""

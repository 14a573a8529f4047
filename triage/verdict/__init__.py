"""Step 7, findings out of evidence, and one conclusion for the run."""

"""Forms: what a page asks of a person, read into what the steps take."""

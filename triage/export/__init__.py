"""A repository as files for other tools."""

"""The door to GitHub: the only place that imports PyGithub."""

"""A GitLab of our own: stateful, and held against what GitLab documents of its API."""

"""A GitHub of our own: stateful, and held against GitHub's own description of its API."""

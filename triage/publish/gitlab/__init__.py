"""The door to GitLab: commit statuses and the one note on a merge request."""

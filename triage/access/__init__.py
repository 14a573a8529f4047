"""Who may do what: accounts, invitations, roles per repository, and the log of changes."""

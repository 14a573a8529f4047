"""How long data are kept, and how they go."""

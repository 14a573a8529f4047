"""Questions to people about ambiguous classes: opened, decided, reminded of, expired."""

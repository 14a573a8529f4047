"""Cases under a new name: proposed, confirmed, and their history brought along."""

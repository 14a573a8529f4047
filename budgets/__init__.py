"""How often a case may flake: rates, evidence and allowances. Pure numpy and scipy."""

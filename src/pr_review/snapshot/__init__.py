"""snapshot: what a model will read of the change, and the account of the rest."""

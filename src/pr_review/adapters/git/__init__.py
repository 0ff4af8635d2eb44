"""The door to git."""

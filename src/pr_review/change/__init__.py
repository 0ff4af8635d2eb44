"""change: what changed, as git tells it."""

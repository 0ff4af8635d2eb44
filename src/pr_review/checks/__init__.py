"""checks: findings that need no model."""

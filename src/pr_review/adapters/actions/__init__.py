"""The door to actions."""

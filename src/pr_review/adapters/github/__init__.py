"""The door to github."""

"""commands: the action, `local`, `snapshot`, `explain`: wire the doors, run, write the outcome."""

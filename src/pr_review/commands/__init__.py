"""commands: the action, `local` and `snapshot`: wire the doors, run, write what comes out."""

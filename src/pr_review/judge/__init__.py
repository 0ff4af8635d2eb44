"""judge: which findings hold, and where they stand."""

"""adapters: one door for each outside library and program."""

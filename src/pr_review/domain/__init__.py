"""Frozen types that two stages exchange. Nothing here does I/O."""

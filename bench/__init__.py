"""Benchmarks: each is a module that prints what it measures."""

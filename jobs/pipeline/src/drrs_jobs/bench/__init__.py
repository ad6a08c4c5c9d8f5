"""Benchmarks on real clusters: what the plug-in costs while nothing is rescaled, and how fast state moves."""

"""The raw records of a run, read by explicit schemas and checked; their formats are in ``docs/interfaces.md``."""

"""The drawings of a report, by matplotlib: readable without colour, axes with units, text as text."""

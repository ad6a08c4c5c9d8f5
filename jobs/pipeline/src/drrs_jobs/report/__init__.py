"""The report of runs that are compared: one HTML file without outside resources, and the same tables in Markdown."""

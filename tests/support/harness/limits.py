"""How long tests wait for what has to come."""

LIMIT_S = 300.0
"""No wait of a test that passes comes near it, on however busy a machine: waiting is not what tests measure."""

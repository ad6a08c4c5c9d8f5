"""Runs workloads under strategies in turn, checks each output, keeps what was recorded, goes on where it stopped."""

"""Faults in rescales on a real cluster: drawn from a seed, injected at a phase, and the output judged."""

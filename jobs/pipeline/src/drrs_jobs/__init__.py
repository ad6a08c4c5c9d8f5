"""Nexmark reference, replay data set, latency measurement and the demo of the live rescale."""

"""Jobs of any shape, and walks of rescales through them: drawn, run, compared with stock Flink."""

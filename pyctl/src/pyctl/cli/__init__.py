"""The command line: one module per group of commands; `_` modules are shared parts."""

"""GeSession: graphs that are compiled, loaded and run in one process, without a file (spec/execution.md 3.6)."""

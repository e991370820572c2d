"""Answers about a log: pure functions over a store, the same for a file and for a live run."""

"""Graphs in files: one snapshot type, and the formats it is read from and written to."""

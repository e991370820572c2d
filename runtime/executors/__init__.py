"""Executors: from an execute graph to a flat list of kernels, and the life of a loaded model."""

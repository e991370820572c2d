"""Engines: which converter turns an operator into kernels, and the converters themselves."""

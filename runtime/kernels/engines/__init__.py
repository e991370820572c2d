"""Kernels of the smaller engines, a module each, and the work they put on streams."""

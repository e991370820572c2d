"""Collective communication between devices: the structure of its kernels, no transport."""

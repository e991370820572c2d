"""Widgets draw what a view model gives, and nothing else."""

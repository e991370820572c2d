"""Operators as their authors deliver them: definition, shape inference, tiling, kernel."""

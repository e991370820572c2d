"""Operators that GE runs itself: no device kernel, only memory and shapes."""

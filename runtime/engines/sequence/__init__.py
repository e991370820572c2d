"""Sequences of tensors: operators that keep tensors in a container of the host and pass handles around."""

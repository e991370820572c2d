"""Which modules speak at or below the runtime: their lines are words of the report of a device fault."""

BELOW = frozenset({"RUNTIME", "DRV", "TSDAEMON", "HAL", "IDEDD"})
"""The runtime, what it stands on, and the dumper that prints a fault's tensors as ERROR."""

"""The runtime system as an engine: the device's overflow flags and prefetching."""

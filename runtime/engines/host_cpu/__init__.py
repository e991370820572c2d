"""The host's own processor as an engine: operators on small tensors that are on the host anyway."""

"""The AI Core engine: operators with a compiled kernel, launched through a handle."""

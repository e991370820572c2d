"""The AI CPU engine: operators that run as ordinary functions on the device's own processor."""

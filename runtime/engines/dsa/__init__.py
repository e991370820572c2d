"""The random number engine of the device."""

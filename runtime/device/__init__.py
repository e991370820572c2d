"""The simulated device: profiles, virtual time, address spaces, streams."""

"""What the outside calls: load a model, run it on the simulated device."""

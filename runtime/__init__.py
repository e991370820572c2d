"""The RT2 runtime on a simulated device: lowering, kernels, executors, memory, and the layers a user calls."""

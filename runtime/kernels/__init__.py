"""The kernels of execute graphs: what one node does when it runs, and what it says about it."""

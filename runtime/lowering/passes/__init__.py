"""The passes that rewrite an execute graph, one file each, and the optimizer that runs them."""

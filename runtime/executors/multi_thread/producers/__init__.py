"""How a graph is cut into tasks: by kernel, chain, operator, or not at all (spec/execution.md 2.5)."""

"""The multi-thread topological executor: a scheduler, producers of tasks, workers (spec/execution.md 2.5)."""

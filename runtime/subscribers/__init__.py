"""Who listens while a graph runs: the scheduler of subscribers, and the tracer."""

"""ACL: the C interface of an Ascend device, with the names that its Python binding gives it (spec/execution.md 3.4)."""

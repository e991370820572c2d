"""The functions of ``gert_api.h``: a file or bytes of a model become an executor (spec/execution.md 3.2)."""

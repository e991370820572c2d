"""OM2: models as a zip of JSON, weights and a compiled library (spec/execution.md 3.5, spec/formats.md 2)."""

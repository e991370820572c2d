"""Lowering: a compute graph in, an execute graph with Init, Main and DeInit out."""

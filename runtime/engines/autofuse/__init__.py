"""Autofuse: operators generated from many, whose shapes and tiling are formulas over the inputs of the model."""

"""Shapes: why a graph is dynamic, shapes per step, new shapes and their cost, gears, and sizes that do not fit."""

from getrace.analysis.shapes.facts import Shapes
from getrace.analysis.shapes.report import shapes_of, shapes_of_text

__all__ = ["Shapes", "shapes_of", "shapes_of_text"]

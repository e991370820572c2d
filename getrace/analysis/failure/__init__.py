"""Finding the first failure of a run, and telling it from its consequences."""

from getrace.analysis.failure.diagnosis import diagnose
from getrace.analysis.failure.model import Diagnosis

__all__ = ["Diagnosis", "diagnose"]

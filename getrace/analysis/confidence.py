"""How far to trust a statement; every answer of this room says it."""

from enum import StrEnum


class Confidence(StrEnum):
    """How far to trust the answer."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

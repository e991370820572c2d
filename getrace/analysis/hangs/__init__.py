"""Waits that did not end: which stream or rank waits, for whom, and why that one has not come."""

from getrace.analysis.hangs.find import find_hangs, find_hangs_in_text
from getrace.analysis.hangs.model import Hang, Hangs, RankGraph

__all__ = ["Hang", "Hangs", "RankGraph", "find_hangs", "find_hangs_in_text"]

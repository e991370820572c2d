"""getrace reads, replays and draws what GE RT2.0, Ascend's dynamic-shape executor, did.

The package root holds the version and nothing else: each verb imports the rooms it needs when it is called.
"""

__version__ = "0.1.0"

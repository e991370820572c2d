"""The stages of a lowering that GE dumps.

It owns GE's names of the stages. If each step spelled its own, dumps, views and tests would disagree about which
graph they hold.

Source: spec/lowering.md 9.2.
"""

BEFORE_LOWERING = "ComputeGraphBeforeLowering"
BEFORE_STAGES = "Before_MultiStream_LoweringFirstLastEventSync"
BEFORE_OPTIMIZE = "ExeGraphBeforeOptimize"
FINAL = "ExecuteGraphAfterSplit"

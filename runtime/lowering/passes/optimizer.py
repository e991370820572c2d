"""The offline optimizer: which passes run, in which order, and how often.

It owns the turns. A pass that called the next one would run it once more than GE does.

Source: spec/lowering.md 7 (bg::OfflineOptimizer) and 12.31.
"""

from typing import Protocol

from getrace.events.graphs import PassApplied
from runtime.engines.options import LoweringOptions
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.watch import See, ignore
from runtime.lowering.passes.aicpu_host_inputs import AicpuHostInputsFuse
from runtime.lowering.passes.constant_expressions import ConstantExpressionMotion
from runtime.lowering.passes.copy_flow import CopyFlowLaunchFuse
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.launch_free_edge import RemoveLaunchFreeEdge
from runtime.lowering.passes.name_numbers import PassNumbers
from runtime.lowering.passes.split_launch_memory import SplitMixedLaunchMemory
from runtime.lowering.passes.trust_out_tensor import TrustOutTensor
from runtime.lowering.passes.zero_copy import ModelOutTensorZeroCopy

MAX_TURNS = 11
"""The first turn and ten more: a pass that always finds something must end, too."""


class Pass(Protocol):
    """One rewriting of a graph. ``stage`` is what GE calls the dump behind it."""

    name: str
    stage: str

    def run(self, editor: Editor) -> None:
        """Rewrite the graph of an editor."""


def repeated_passes(options: LoweringOptions, numbers: PassNumbers | None = None) -> list[Pass]:
    """Passes of every turn, in order; one lowering uses one list of them."""
    numbers = numbers or PassNumbers()
    passes: list[Pass] = [
        ModelOutTensorZeroCopy(numbers, always=options.always_zero_copy),
        ConstantExpressionMotion(numbers),
        CopyFlowLaunchFuse(),
    ]
    if options.trust_shape_on_out_tensor:
        passes.append(TrustOutTensor())
    if options.single_op_scene:
        passes.append(AicpuHostInputsFuse())
    return passes


def final_passes(options: LoweringOptions) -> list[Pass]:
    """Passes that run once, when no other one finds anything any more."""
    return [SplitMixedLaunchMemory(), RemoveLaunchFreeEdge()] if options.multi_thread else []


def optimize(
    root: ExecuteGraph, options: LoweringOptions, see: See = ignore, numbers: PassNumbers | None = None
) -> tuple[PassApplied, ...]:
    """Rewrite a graph of the stage ``ExeGraphBeforeOptimize``; gives what each pass did that changed something."""
    done: list[PassApplied] = []
    passes = repeated_passes(options, numbers)
    turn = 0
    changed = True
    while changed and turn < MAX_TURNS:
        turn += 1
        changes = [apply_pass(root, each, turn, see) for each in passes]
        done += filter(None, changes)
        changed = any(changes)
    final = [apply_pass(root, each, turn + 1, see) for each in final_passes(options)]
    return (*done, *filter(None, final))


def apply_pass(root: ExecuteGraph, each: Pass, turn: int, see: See = ignore) -> PassApplied | None:
    """Run one pass; tells its stage when it changed something, and what it did."""
    editor = Editor(root)
    each.run(editor)
    applied = editor.finish(each.name, turn)
    if applied is not None:
        see(each.stage, root)
    return applied

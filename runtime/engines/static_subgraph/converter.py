"""A static sub graph becomes one kernel that runs its model, with the memory it works in around it.

It owns the order of the steps on Main: memory first, then the addresses inside the model, then the run, then what the
step gives back.

Source: spec/lowering.md 4.9.
"""

from collections.abc import Sequence

from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerResult
from runtime.engines.infer_shape import known_shape
from runtime.engines.memory import allocate
from runtime.engines.static_subgraph.create import create_model
from runtime.engines.static_subgraph.model import ModelOutput, Workspace, model_inputs, model_outputs, workspaces
from runtime.engines.static_subgraph.outputs import place_outputs
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.value_holder import ValueHolder


def lower_static_model(
    context: LoweringContext, graph: ComputeGraph, net_output: ComputeNode, inputs: Sequence[ValueHolder]
) -> LowerResult:
    """Lower a graph that runs as one model; ``inputs`` are device addresses in the order of ``model_inputs``.

    The kernels belong to the node that owns the graph. Gives what the graph's NetOutput is to be given.
    """
    holders = context.holders
    model = create_model(context, graph)
    memory, updated = _update_workspaces(context, model, [] if _fixed(context) else workspaces(graph))
    outputs = model_outputs(net_output)
    by_node = dict(zip(model_inputs(graph), inputs, strict=True))
    addresses, owned = place_outputs(context, model, updated, outputs, by_node)
    shapes = _shapes(context, outputs)
    counts = [holders.const(len(inputs)), holders.const(len(outputs))]
    run = holders.single("DavinciModelExecute", model, context.stream, *counts, *inputs, *addresses)
    if updated is not None:
        holders.order(updated, run)
    for block in [*memory, *owned]:
        holders.order(run, holders.guarder("FreeMemory", block))
    # GE describes the outputs once more for the node that owns the graph; nobody reads these.
    _shapes(context, outputs)
    return LowerResult(shapes, addresses, [run])


def _fixed(context: LoweringContext) -> bool:
    return context.options.static_model_addr_fixed


def _shapes(context: LoweringContext, outputs: Sequence[ModelOutput]) -> list[ValueHolder]:
    return [known_shape(context, output.producer.op.outputs[output.index]) for output in outputs]


def _update_workspaces(
    context: LoweringContext, model: ValueHolder, blocks: Sequence[Workspace]
) -> tuple[list[ValueHolder], ValueHolder | None]:
    """Memory for a step, and the kernel that tells the model where it is; None when the model wants none."""
    if not blocks:
        return [], None
    holders = context.holders
    told: list[ValueHolder] = []
    for block in blocks:
        kind, size = holders.const(block.kind), holders.const(block.size)
        told.extend((kind, allocate(context, size)))
    count = holders.const(len(told))
    return told[1::2], holders.single("DavinciModelUpdateWorkspaces", model, count, *told)

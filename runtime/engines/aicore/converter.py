"""The AI Core converter: one operator becomes shape inference, tiling, memory, and a launch.

It owns the order of the steps and the order of the launch's inputs. Kernels read inputs by position, so a step that
moved would hand a workspace to a kernel as its tiling key.

Source: spec/lowering.md 4.1 (WithHandle, dynamic shape) and 10.1.
"""

from getrace.errors import ModelError
from runtime.engines.aicore.compile_result import CompileResult, read_compile_result
from runtime.engines.aicore.tiling import Tiled, TilingOutput, tile
from runtime.engines.allocators import l2_allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import infer_shapes
from runtime.engines.memory import allocate_output, tensor_size
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import ArgsInfosDesc, DfxExeArg, KernelBinary, NodeDesc, TaskConfig

_RT_ARG_OF_ALLOC = 1
"""Output of AllocLaunchArg that tiling writes through (the others: holder, args base, tiling data base)."""


def convert_aicore(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator with a compiled kernel.

    Raises ModelError when the compile result is missing or broken, or when an output may be empty, which needs the
    branch of spec/lowering.md 4.1 (3).
    """
    compiled = read_compile_result(node)
    context = lowered.context
    _refuse_empty_outputs(context, node)
    launch_arg = _launch_arg(context, node, compiled)
    out_shapes = infer_shapes(node, lowered)
    tiled = tile(node, lowered, compiled, out_shapes, launch_arg[_RT_ARG_OF_ALLOC])
    workspace = context.holders.single("AllocBatchHbm", l2_allocator(context), tiled.workspaces)
    shape_buffer = context.holders.const(None)
    sizes = [tensor_size(context, desc, shape) for desc, shape in zip(node.op.outputs, out_shapes, strict=True)]
    addresses = [allocate_output(context, size) for size in sizes]
    launch = _launch(node, lowered, compiled, tiled, [workspace, shape_buffer], [out_shapes, addresses])
    free = context.holders.void("FreeBatchHbm", workspace)
    free.node.attrs["ReleaseResourceIndex"] = 0
    context.holders.order(launch, free)
    return LowerResult(out_shapes, addresses, [launch])


def _refuse_empty_outputs(context: LoweringContext, node: ComputeNode) -> None:
    if context.options.all_tensor_not_empty:
        return
    for desc in node.op.outputs:
        maybe_empty = not desc.shape_range or any(least == 0 for least, _ in desc.shape_range)
        if not desc.shape.is_known and maybe_empty:
            raise ModelError(
                f"an output of node {node.name} may be empty",
                "give it a shape range from 1, or set ge.exec.allTensorNotEmpty to 1",
            )


def _launch_arg(context: LoweringContext, node: ComputeNode, compiled: CompileResult) -> list[ValueHolder]:
    counts = len(node.op.inputs), len(node.op.outputs)
    description = context.holders.const(NodeDesc(*counts, max_tiling_data=compiled.max_tiling_data))
    arguments = context.holders.const(ArgsInfosDesc(*counts))
    return context.holders.many("AllocLaunchArg", 4, description, arguments)


def _launch(
    node: ComputeNode,
    lowered: LowerInput,
    compiled: CompileResult,
    tiled: Tiled,
    workspace_and_shape_buffer: list[ValueHolder],
    outputs: list[list[ValueHolder]],
) -> ValueHolder:
    """Write the binary, the launch's constants and the launch (inputs: spec/lowering.md 4.1, common head)."""
    holders = lowered.context.holders
    out_shapes, out_addresses = outputs
    binary = holders.const(KernelBinary(node.type, compiled.bin_id))
    handle = holders.single("SinkNodeBinWithHandle", binary, holders.const(compiled.bin_id))
    task, info = holders.const(TaskConfig()), holders.const(f"{node.name}/")
    dfx, io_num = holders.const(DfxExeArg()), holders.const(len(node.op.inputs) + len(node.op.outputs))
    return holders.void(
        "LaunchKernelWithHandle",
        lowered.context.stream,
        handle,
        tiled.outputs[TilingOutput.BLOCK_DIM],
        *workspace_and_shape_buffer,
        task,
        io_num,
        tiled.outputs[TilingOutput.SCHEDULE_MODE],
        dfx,
        tiled.outputs[TilingOutput.RT_ARG],
        tiled.outputs[TilingOutput.LOCAL_MEMORY],
        tiled.outputs[TilingOutput.TILING_KEY],
        info,
        *lowered.addresses,
        *out_addresses,
        *lowered.shapes,
        *out_shapes,
    )

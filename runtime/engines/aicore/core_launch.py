"""One operator on the cores: memory, clean, binary and launch, once its shapes and its tiling are there.

It owns the order of these steps, which both forms of launch share. Kernels read inputs by position, so a step that
moved would hand a workspace to a kernel as its tiling key.

Source: spec/lowering.md 4.1 (7 to 14).
"""

from dataclasses import dataclass

from runtime.engines.aicore.atomic import Dirty, launch_clean
from runtime.engines.aicore.binary import Binary, sink_binary
from runtime.engines.aicore.compile_result import ATOMIC_COMPILE_INFO, CompileResult
from runtime.engines.aicore.launch import Prepared, dfx_argument, launch, node_info, task_config
from runtime.engines.aicore.tiling_outputs import Tiled
from runtime.engines.aicore.workspace import allocate_workspaces, free_workspaces, shape_buffer, take_shapes
from runtime.engines.contract import LowerInput
from runtime.engines.output_memory import output_addresses, output_sizes
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder


@dataclass(frozen=True, slots=True)
class OnCore:
    """An operator that is being lowered: what the compiler left, its argument block, and its output shapes."""

    node: ComputeNode
    lowered: LowerInput
    compiled: CompileResult
    rt_arg: ValueHolder
    shapes: list[ValueHolder]

    @property
    def binary(self) -> Binary:
        """The operator's own compiled kernel."""
        compiled = self.compiled
        return Binary(self.node.type, compiled.bin_id, compiled.metadata, compiled.kernel_name)


@dataclass(frozen=True, slots=True)
class Launched:
    """Shapes and addresses of the outputs, and who must have run before they are used."""

    shapes: list[ValueHolder]
    addresses: list[ValueHolder]
    order_holders: list[ValueHolder]


def launch_tiled(op: OnCore, tiled: Tiled) -> Launched:
    """Write everything from the workspaces to the launch and what frees them."""
    node, lowered, compiled = op.node, op.lowered, op.compiled
    context = lowered.context
    workspaces = allocate_workspaces(context, tiled.workspaces, compiled.dfx_buffer_size)
    buffer = shape_buffer(context, node)
    sizes = output_sizes(context, node, op.shapes)
    addresses = output_addresses(node, lowered, sizes)
    static_clean = compiled.tiled_by_compiler and ATOMIC_COMPILE_INFO not in node.op.attrs
    dirty = Dirty(tiled.workspaces, workspaces, sizes, addresses)
    cleaned = launch_clean(node, lowered, compiled, dirty, static=static_clean)
    binary, task = sink_binary(context, op.binary, compiled.form), task_config(context)
    info, dfx = node_info(context, node, compiled.form), dfx_argument(context, compiled)
    prepared = Prepared(tiled, workspaces, buffer, binary, task, info, dfx)
    launched = launch(node, lowered, prepared, (op.shapes, addresses))
    told = take_shapes(context, node, buffer, launched, op.shapes)
    clean_first(lowered, cleaned, launched)
    free_workspaces(context, workspaces, launched)
    orders = [launched, *told, *([cleaned] if cleaned is not None else [])]
    return Launched(told or op.shapes, addresses, orders)


def clean_first(lowered: LowerInput, cleaned: ValueHolder | None, launched: ValueHolder) -> None:
    """Put the clean in front of the launch, if there is one."""
    if cleaned is not None:
        lowered.context.holders.order(cleaned, launched)

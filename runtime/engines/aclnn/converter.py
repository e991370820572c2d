"""The aclnn converter: shapes and memory as for any operator, then the author's function is called on raw tensors.

An operator computes in one call, or it prepares (which says what workspaces it wants) and launches in two. What
releases its inputs and outputs waits for the last call, although the raw tensors do not own them.

Source: spec/lowering.md 4.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from getrace.errors import ModelError
from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.core_platform import Platform, platform_of
from runtime.engines.infer_shape import OPP_IMPL_VERSION, infer_storage_shapes
from runtime.engines.ir_inputs import ir_index
from runtime.engines.memory import at
from runtime.engines.output_memory import output_addresses, output_sizes
from runtime.engines.tensors import build_raw_tensor
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import DeterministicConfig, OpExecuteOptions
from runtime.values import Placement

_PHASES = 2


@dataclass(frozen=True, slots=True)
class _Tensors:
    """Raw tensors of inputs and outputs, in order, and the addresses they refer to."""

    tensors: list[ValueHolder]
    addresses: list[ValueHolder]


def convert_aclnn(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an aclnn operator. Raises ModelError when its author registered no function to compute it."""
    context = lowered.context
    phases = context.options.library.traits(node.type).execute_phases
    if phases not in _EXECUTE:
        raise ModelError(
            f"Do not find op execute function of node[{node.name}, {node.type}].", "the operator library lacks it"
        )
    shapes = infer_storage_shapes(context, node, lowered.shapes)
    addresses = output_addresses(node, lowered, output_sizes(context, node, shapes))
    raw = _raw_tensors(node, lowered, shapes, addresses)
    executed, waiting = _EXECUTE[phases](node, lowered, raw)
    for holder in waiting:
        if holder.guarder is not None:
            context.holders.order(executed, holder.guarder)
    return LowerResult(shapes, addresses, [executed])


def _raw_tensors(
    node: ComputeNode, lowered: LowerInput, shapes: Sequence[ValueHolder], addresses: Sequence[ValueHolder]
) -> _Tensors:
    context = lowered.context
    on_host = context.options.library.traits(node.type).host_inputs
    raw = _Tensors([], [])
    for slot, source in enumerate(node.inputs):
        if source is None:
            continue
        place = Placement.HOST if ir_index(node, slot) in on_host else Placement.DEVICE_HBM
        tensor, address = lowered.walk.raw_input(node, slot, place)
        raw.tensors.append(tensor)
        raw.addresses.append(address)
    for desc, shape, address in zip(node.op.outputs, shapes, addresses, strict=True):
        raw.tensors.append(build_raw_tensor(context, desc, shape, address))
        raw.addresses.append(address)
    return raw


def _execute_at_once(
    node: ComputeNode, lowered: LowerInput, raw: _Tensors
) -> tuple[ValueHolder, Sequence[ValueHolder]]:
    """One call that takes the allocator; it waits twice for its inputs' guarders, as GE's edges do."""
    context = lowered.context
    memory = allocator(context)
    options = _options(context, node)
    function = _find(context, "FindOpExeFunc", node.type, 1)[0]
    platform = platform_of(context, node)
    framework = context.holders.single("BuildSingleStageAclnnOpFwkData", platform.core_numbers, *_determinism(context))
    executed = context.holders.single(
        "ExecuteOpFunc", *raw.tensors, memory, context.stream, options, function, framework
    )
    return executed, (*lowered.addresses, *raw.addresses)


def _execute_in_phases(
    node: ComputeNode, lowered: LowerInput, raw: _Tensors
) -> tuple[ValueHolder, Sequence[ValueHolder]]:
    """Prepare, reserve the workspaces that were asked for, launch.

    The stream goes to both calls and not into what they share: a pass moves that to Init, where the stream is another.
    """
    context = lowered.context
    holders = context.holders
    memory = allocator(context)
    options = _options(context, node)
    functions = _find(context, "FindOpExe2PhaseFunc", node.type, _PHASES)
    framework = _dual_framework(context, platform_of(context, node), functions)
    parameter, sizes = holders.many("ExecuteOpPrepare", 2, *raw.tensors, options, framework, context.stream)
    workspaces = at(holders.single("AllocBatchHbm", memory, sizes), Placement.DEVICE_HBM)
    holders.guarder("FreeBatchHbm", workspaces)
    launched = holders.void("ExecuteOpLaunch", *raw.tensors, parameter, workspaces, sizes, context.stream, framework)
    return launched, (*raw.tensors, *raw.addresses)


def _dual_framework(context: LoweringContext, platform: Platform, functions: Sequence[ValueHolder]) -> ValueHolder:
    inputs = (*functions, platform.infos, platform.core_numbers, *_determinism(context))
    return context.holders.single("BuildDualStageAclnnOpFwkData", *inputs)


def _determinism(context: LoweringContext) -> list[ValueHolder]:
    """Whether results must repeat: as the session wants it, and as it was before an operator changed it.

    All operators share both. The first is a constant of Main, wherever the operator is that asks for it first.
    """
    options = context.options
    config = DeterministicConfig(options.deterministic, options.deterministic_level)
    wanted = context.unique(
        "AclnnDeterministicConfig", lambda: [context.selector.on_main_root(lambda: context.holders.const(config))]
    )
    original = context.unique_on_init("AclnnOriginalConfig", lambda: [context.holders.const(DeterministicConfig())])
    return [*wanted, *original]


def _options(context: LoweringContext, node: ComputeNode) -> ValueHolder:
    attrs = node.op.attrs
    hf32 = attrs.get("ge.exec.allow_hf32", "")
    return context.holders.const(
        OpExecuteOptions(
            node.op.number("_precision_mode_enum"),
            attrs.get("ge.deterministic") == "1",
            hf32 if isinstance(hf32, str) else "",
        )
    )


def _find(context: LoweringContext, kernel: str, op_type: str, outputs: int) -> list[ValueHolder]:
    """Look the author's functions up on Init; the register is found through the machine, hence the null pointer."""
    holders = context.holders
    key = f"{op_type}_{kernel}_{OPP_IMPL_VERSION}"
    return context.unique_on_init(
        key, lambda: holders.many(kernel, outputs, holders.const(op_type), holders.const(None))
    )


_EXECUTE = {1: _execute_at_once, _PHASES: _execute_in_phases}
"""How an operator is executed, by the number of its calls."""

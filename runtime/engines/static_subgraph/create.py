"""The model object of a static sub graph: created on Init, finalized on DeInit.

It owns the order of the creating kernel's inputs. They are read by position, and most are null: one too few would make
a weight folder of a stream allocator.

Source: spec/lowering.md 4.9.
"""

from functools import partial

from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.ge_local.file_constant import weight_folder
from runtime.engines.session import session_id, step_id
from runtime.engines.static_subgraph.model import model_weights
from runtime.engines.weights import weight_assigner
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.value_holder import VOID, ValueHolder
from runtime.kernels.payloads import StaticModelRef
from runtime.values import Int32, Placement

_ROOT_GRAPH_ID = Int32(0)
_FINALIZER = "DavinciModelFinalizer"


def create_model(context: LoweringContext, graph: ComputeGraph) -> ValueHolder:
    """Write the kernels that create and finalize the model; gives it as an output of the Init node.

    One kernel of DeInit finalizes all models of a lowering.
    """
    model = context.selector.on_init_root(lambda: [_create(context, graph)])[0]
    known = context.known(_FINALIZER)
    if known:
        context.holders.append_input(known[0].node, model)
    else:
        context.unique(_FINALIZER, lambda: [_finalizer(context, model)])
    return model


def _finalizer(context: LoweringContext, model: ValueHolder) -> ValueHolder:
    """Models go before the memory they work in."""
    finalizer = context.selector.on_deinit_root(lambda: context.holders.void("DavinciModelFinalizer", model))
    for node in finalizer.node.graph.nodes:
        if node.type == "FreeFixedFeatureMemory":
            context.holders.order(finalizer, ValueHolder(node, VOID))
    return finalizer


def _create(context: LoweringContext, graph: ComputeGraph) -> ValueHolder:
    common = _common_inputs(context, graph)
    frozen = context.holders.const(context.options.frozen_input_indices)
    memory = [
        part for where in (Placement.DEVICE_HBM, Placement.DEVICE_P2P) for part in _feature_memory(context, where)
    ]
    files = context.holders.const(tuple(sorted(context.options.file_constant_memories.items())))
    if context.options.static_model_addr_fixed:
        return context.holders.single("DavinciModelCreateV2", *common, _fixed_memory(context, graph))
    register = context.holders.const(None)
    return context.holders.single("DavinciModelCreate", *common, *memory, frozen, files, register)


def _common_inputs(context: LoweringContext, graph: ComputeGraph) -> list[ValueHolder]:
    """What both forms take: model, session, weights, step, root graph, registries, weight folder, streams to reuse."""
    holders, selector = context.holders, context.selector
    model = holders.const(StaticModelRef(graph.name, graph))
    session = selector.holder_on_init(session_id(context))
    step = selector.holder_on_init(step_id(context))
    root_graph = holders.const(_ROOT_GRAPH_ID)
    weights = _weights(context, graph)
    return [
        model,
        session,
        weights,
        step,
        root_graph,
        _exported(context, "GetSpaceRegistries", context.model_desc_on_init),
        selector.holder_on_init(selector.on_init_root(lambda: [weight_folder(context)])[0]),
        selector.holder_on_init(_reusable_streams(context)),
    ]


def _weights(context: LoweringContext, graph: ComputeGraph) -> ValueHolder:
    span, stream_id = context.holders.const(model_weights(context.weights, graph)), context.holders.const(0)
    assigner = context.selector.holder_on_init(weight_assigner(context))
    return context.holders.single("AssignWeightMemory", span, assigner, stream_id)


def _reusable_streams(context: LoweringContext) -> ValueHolder:
    """The streams that models of one graph take turns on."""
    build = context.holders.single
    return context.unique_on_init("ReusableStreamAllocator", lambda: [build("ReusableStreamAllocator")])[0]


def _exported(context: LoweringContext, kernel: str, *inputs: ValueHolder) -> ValueHolder:
    """A kernel whose value leaves Init although only Init reads it, as GE writes it."""
    outside = context.selector.on_init_root(lambda: [context.holders.single(kernel, *inputs)])[0]
    return context.selector.holder_on_init(outside)


def _feature_memory(context: LoweringContext, where: Placement) -> list[ValueHolder]:
    """Address, bytes and tensor data of the fixed memory of a place: the user's, the session's, or none.

    The tensor data exists once per place; the session's number is read for each model.
    """
    address, size = context.options.fixed_feature_memory.get(where, (0, 0))
    given = [context.holders.const(address), context.holders.const(size)]
    session = context.selector.holder_on_init(session_id(context))
    build = partial(_no_memory, context)
    if size and not address:
        build = partial(_session_memory, context, where, session, given[1])
    memory = context.unique_on_init(f"fixed_feature_memory_{where.value}", lambda: [build()])[0]
    return [*given, context.selector.holder_on_init(memory)]


def _no_memory(context: LoweringContext) -> ValueHolder:
    return context.holders.single("EmptyTensorData")


def _session_memory(context: LoweringContext, where: Placement, session: ValueHolder, size: ValueHolder) -> ValueHolder:
    """Memory that all models of a session share; DeInit gives it back."""
    holders, place = context.holders, context.holders.const(where)
    shared = holders.single("GetUserAllocatorOrFixedBaseAllocator", place, session, context.stream)
    memory = holders.single("AllocFixedFeatureMemory", shared, size, allocator(context))
    holders.guarder("FreeFixedFeatureMemory", memory)
    return memory


def _fixed_memory(context: LoweringContext, graph: ComputeGraph) -> ValueHolder:
    """The memory of a model whose addresses do not change between steps: allocated once, with the model."""
    size = graph.attrs.get("memory_size", 0)

    def build() -> list[ValueHolder]:
        memory = context.holders.single("AllocMemHbm", allocator(context), bytes_of_model)
        context.holders.guarder("FreeMemory", memory)
        return [memory]

    bytes_of_model = context.holders.const(size)
    return context.selector.holder_on_init(context.selector.on_init_root(build)[0])

"""Allocators of the model: which kernels create them on Init and which pick them on Main.

It owns the chain L1 (one per placement) under L2 (one per placement and stream on the device, one on the host). If two
converters created an L1 of their own, blocks freed into one would be asked for from the other.

Source: spec/lowering.md 2.5.
"""

from runtime.engines.context import LoweringContext
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_HBM = Placement.DEVICE_HBM
_ON_DEVICE = frozenset({Placement.DEVICE_HBM, Placement.DEVICE_P2P})


def allocator(context: LoweringContext, placement: Placement = _HBM) -> ValueHolder:
    """The L2 allocator for a kernel of the graph being written: Init has one of its own."""
    if context.selector.on_init:
        return context.selector.holder_on_init(l2_allocator_on_init(context, placement))
    return l2_allocator(context, placement)


def l1_allocator(context: LoweringContext, placement: Placement = _HBM) -> ValueHolder:
    """The L1 allocator of a placement as Main selects it: the caller's, else the one created on Init."""

    def build() -> list[ValueHolder]:
        created, on_init, _ = _l1_on_init(context, placement)
        external, stream = context.skeleton.main_external_allocators, context.skeleton.main_streams[0]
        return context.selector.on_main_root(
            lambda: [context.holders.single("SelectL1Allocator", on_init, external, created, stream)]
        )

    return context.unique(f"Allocator-{placement.value}", build)[0]


def _l1_on_init(context: LoweringContext, placement: Placement) -> list[ValueHolder]:
    """Outputs of Init: the created L1, the constant of its placement, and the L1 that Init itself uses."""
    key = f"Allocator-{placement.value}-Init"
    return context.unique_on_init(key, lambda: _create_l1(context, placement))


def _create_l1(context: LoweringContext, placement: Placement) -> list[ValueHolder]:
    holders, skeleton = context.holders, context.skeleton
    where = holders.const(placement)
    if context.options.always_external_allocator:
        given = holders.single("GetExternalL1Allocator", where, skeleton.init_external_allocators)
        return [given, where, given]
    created = holders.single("CreateL1Allocator", where)
    external, stream = skeleton.init_external_allocators, skeleton.init_streams[0]
    return [created, where, holders.single("SelectL1Allocator", where, external, created, stream)]


def l2_vector(context: LoweringContext, placement: Placement = _HBM) -> ValueHolder:
    """The L2 allocators of all streams of a device placement, as an output of the Init node."""
    return _l2_vector(context, placement)[0]


def _l2_vector(context: LoweringContext, placement: Placement) -> tuple[ValueHolder, ValueHolder]:
    """The L2 allocators of all streams: on an output of Init, and inside Init."""
    inside: list[ValueHolder] = []

    def build() -> list[ValueHolder]:
        where = context.holders.const(placement)
        l1_allocator(context, placement)
        vector = context.holders.many("CreateL2Allocators", 2, context.skeleton.init_model_stream_num, where)[0]
        l1 = context.selector.producer_on_init(_l1_on_init(context, placement)[2])
        context.holders.graph.add_control_edge(l1, vector.node)
        inside.append(vector)
        return [vector]

    key = f"L2_Allocators_{placement.value}-Vector"
    outside, vector = context.unique(key, lambda: [*context.selector.on_init_root(build), *inside])
    return outside, vector


def l2_allocator_on_init(context: LoweringContext, placement: Placement = _HBM) -> ValueHolder:
    """The L2 allocator for kernels of Init, as an output of the Init node.

    A later ask looks the producer up and exports it again, which keeps its index: GE's names count it that way.
    """
    if placement not in _ON_DEVICE:
        return _host_l2_on_init(context, placement)
    first: list[ValueHolder] = []

    def create() -> list[ValueHolder]:
        vector = _l2_vector(context, placement)[1]
        l1 = context.selector.holder_on_init(_l1_on_init(context, placement)[2])
        stream = context.skeleton.init_streams[0]
        first.append(context.holders.many("CreateInitL2Allocator", 2, l1, vector, stream)[0])
        return first

    def build() -> list[ValueHolder]:
        exported = context.unique_on_init(f"L2_Allocators_{placement.value}-Init", create)
        return first or [context.selector.holder_on_init(exported[0])]

    return context.selector.on_init_root(build)[0]


def l2_allocator(context: LoweringContext, placement: Placement = _HBM) -> ValueHolder:
    """The L2 allocator of the stream that kernels of Main run on; always picked on Main itself."""
    if placement not in _ON_DEVICE:
        return _host_l2(context, placement)

    stream = context.stream_id  # asked for here: on Main, the current operator may be the owner of a branch

    def build() -> list[ValueHolder]:
        vector = _l2_vector(context, placement)[0]
        l1 = l1_allocator(context, placement)
        stream_id = context.holders.const(stream)
        main_stream = context.skeleton.main_streams[stream]
        return [context.holders.single("SelectL2Allocator", stream_id, main_stream, l1, vector)]

    key = f"L2_Allocators_{placement.value}[{stream}]"
    return context.unique(key, lambda: context.selector.on_main_root(build))[0]


def _host_l2(context: LoweringContext, placement: Placement) -> ValueHolder:
    """The allocator of host memory on Main; it comes with its twin on Init."""

    def on_main() -> ValueHolder:
        return context.holders.single("CreateHostL2Allocator", l1_allocator(context, placement))

    def build() -> list[ValueHolder]:
        return [context.selector.on_main_root(on_main), _host_l2_on_init(context, placement)]

    return context.unique(f"L2_Allocators_{placement.value}", build)[0]


def _host_l2_on_init(context: LoweringContext, placement: Placement) -> ValueHolder:
    """The allocator of host memory for kernels of Init, as an output of the Init node."""

    def build() -> list[ValueHolder]:
        l1_allocator(context, placement)
        twin = context.holders.single("CreateHostL2Allocator")  # GE names it before it looks the L1 up
        l1 = context.selector.holder_on_init(_l1_on_init(context, placement)[2])
        context.holders.append_input(twin.node, l1)
        return [twin]

    return context.unique_on_init(f"L2_Allocators_{placement.value}-Init", build)[0]

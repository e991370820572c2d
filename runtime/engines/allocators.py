"""Allocators of the model: which kernels create them on Init and which pick them on Main.

It owns the chain L1 (one per placement) under L2 (one per placement and stream), device memory only in this version.
If two converters created an L1 of their own, blocks freed into one would be asked for from the other.

Source: spec/lowering.md 2.5.
"""

from runtime.engines.context import LoweringContext
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_HBM = Placement.DEVICE_HBM
_L1 = f"Allocator-{_HBM.value}"
_L2 = f"L2_Allocators_{_HBM.value}"


def l1_allocator(context: LoweringContext) -> ValueHolder:
    """The L1 allocator of device memory as Main selects it: the caller's, else the one created on Init."""

    def build() -> list[ValueHolder]:
        created, placement, _ = context.unique_on_init(f"{_L1}-Init", lambda: _create_l1(context))
        external, stream = context.skeleton.main_external_allocators, context.stream
        return context.selector.on_main_root(
            lambda: [context.holders.single("SelectL1Allocator", placement, external, created, stream)]
        )

    return context.unique(_L1, build)[0]


def _create_l1(context: LoweringContext) -> list[ValueHolder]:
    placement = context.holders.const(_HBM)
    created = context.holders.single("CreateL1Allocator", placement)
    external, stream = context.skeleton.init_external_allocators, context.skeleton.init_streams[0]
    selected = context.holders.single("SelectL1Allocator", placement, external, created, stream)
    return [created, placement, selected]


def _l2_vector(context: LoweringContext) -> tuple[ValueHolder, ValueHolder, ValueHolder]:
    """The L2 allocators of all streams: on an output of Init, and inside Init together with the L1 below them."""
    inside: list[ValueHolder] = []

    def build() -> list[ValueHolder]:
        placement = context.holders.const(_HBM)
        l1_allocator(context)
        vector = context.holders.many("CreateL2Allocators", 2, context.skeleton.init_model_stream_num, placement)[0]
        selected = context.unique(f"{_L1}-Init", list)[2]
        l1 = context.selector.holder_on_init(selected)
        context.holders.order(l1, vector)
        inside.extend((vector, l1))
        return [vector]

    outside, vector, l1 = context.unique(f"{_L2}-Vector", lambda: [*context.selector.on_init_root(build), *inside])
    return outside, vector, l1


def l2_allocator_on_init(context: LoweringContext) -> ValueHolder:
    """The L2 allocator for kernels of Init, as an output of the Init node.

    A later ask looks the producer up and exports it again, which keeps its index: GE's names count it that way.
    """
    first: list[ValueHolder] = []

    def create() -> list[ValueHolder]:
        _, vector, l1 = _l2_vector(context)
        stream = context.skeleton.init_streams[0]
        first.append(context.holders.many("CreateInitL2Allocator", 2, l1, vector, stream)[0])
        return first

    def build() -> list[ValueHolder]:
        exported = context.unique_on_init(f"{_L2}-Init", create)
        return first or [context.selector.holder_on_init(exported[0])]

    return context.selector.on_init_root(build)[0]


def l2_allocator(context: LoweringContext) -> ValueHolder:
    """The L2 allocator of the stream that kernels of Main run on; always picked on Main itself."""

    def build() -> list[ValueHolder]:
        stream_id = context.holders.const(0)
        l1 = l1_allocator(context)
        vector = _l2_vector(context)[0]
        return [context.holders.single("SelectL2Allocator", stream_id, context.stream, l1, vector)]

    return context.unique(f"{_L2}[0]", lambda: context.selector.on_main_root(build))[0]

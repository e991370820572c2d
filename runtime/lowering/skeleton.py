"""The skeleton: the nodes every lowered model has, before its first operator.

It owns ROOT, the Init, DeInit and Main nodes and their feeds, in GE's order of creation. The converters count on all
of them; if one were made on first use, models that do not use it would number their outputs differently.

Source: spec/lowering.md 2.2 (1 to 4), single stream.
"""

from dataclasses import dataclass

from runtime.engines.context import Skeleton
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.frame_selector import FrameSelector
from runtime.graph.naming import IdSource
from runtime.graph.value_holder import HolderFactory, ValueHolder

STREAM, EXTERNAL_ALLOCATORS, RT_EVENTS, NOTIFIES = -1, -2, -3, -4
"""``ExecuteArgIndex``: what the feeds below 0 stand for (spec/lowering.md 2.6)."""

_CONST_DATA = 3
_STREAMS = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """An execute graph that converters can write to; ``main`` is its Main graph."""

    holders: HolderFactory
    selector: FrameSelector
    skeleton: Skeleton
    main: ExecuteGraph


def lay_out(ids: IdSource) -> Frame:
    """Create ROOT with Init, DeInit and Main. Numbers of names are drawn from ``ids``."""
    root = ExecuteGraph("ROOT")
    holders = HolderFactory(root, ids)
    exports = holders.many("Init", _CONST_DATA)
    init_node = exports[0].node
    init = holders.subgraph(init_node, "Init")
    with holders.frame(init):
        constants = [holders.feed(index, "ConstData") for index in range(_CONST_DATA)]
        init_streams, init_external = _arguments(holders)
        holders.void("InnerNetOutput", *constants)
    holders.subgraph(holders.void("DeInit").node, "DeInit")
    main_node = holders.void("Main").node
    main = holders.subgraph(main_node, "Main")
    with holders.frame(main):
        main_streams, main_external = _arguments(holders)
    with holders.frame(init):
        stream_num = holders.const(_STREAMS)
    session, weights, model_desc = exports
    skeleton = Skeleton(
        session, weights, model_desc, init_streams, init_external, stream_num, main_streams, main_external
    )
    return Frame(holders, FrameSelector(holders, init_node, main), skeleton, main)


def _arguments(holders: HolderFactory) -> tuple[list[ValueHolder], ValueHolder]:
    """Feeds of the execute arguments, and the streams split out of theirs."""
    count = holders.const(_STREAMS)
    streams = holders.many("SplitRtStreams", _STREAMS, holders.feed(STREAM), count)
    external = holders.feed(EXTERNAL_ALLOCATORS)
    holders.feed(RT_EVENTS)
    holders.feed(NOTIFIES)
    return streams, external

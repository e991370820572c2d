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
_INIT_STREAMS = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """An execute graph that converters can write to; ``main`` is its Main graph."""

    holders: HolderFactory
    selector: FrameSelector
    skeleton: Skeleton
    main: ExecuteGraph


@dataclass(frozen=True, slots=True)
class _Arguments:
    """Feeds of the execute arguments of one graph; ``streams`` is split out of the first."""

    streams: list[ValueHolder]
    external_allocators: ValueHolder
    rt_events: ValueHolder
    notifies: ValueHolder


def lay_out(ids: IdSource, streams: int = 1, attached: int = 0) -> Frame:
    """Create ROOT with Init, DeInit and Main. Numbers of names are drawn from ``ids``.

    ``streams`` are the logic streams of the model, ``attached`` those that ride along with one of them.
    """
    root = ExecuteGraph("ROOT")
    holders = HolderFactory(root, ids)
    exports = holders.many("Init", _CONST_DATA)
    init_node = exports[0].node
    init = holders.subgraph(init_node, "Init")
    with holders.frame(init):
        constants = [holders.feed(index, "ConstData") for index in range(_CONST_DATA)]
        on_init = _arguments(holders, _INIT_STREAMS)
        holders.void("InnerNetOutput", *constants)
    deinit = holders.subgraph(holders.void("DeInit").node, "DeInit")
    main_node = holders.void("Main").node
    main = holders.subgraph(main_node, "Main")
    with holders.frame(main):
        on_main = _arguments(holders, streams + attached)
    with holders.frame(init):
        stream_num = holders.const(streams)
    session, weights, model_desc = exports
    skeleton = Skeleton(
        session,
        weights,
        model_desc,
        on_init.streams,
        on_init.external_allocators,
        stream_num,
        on_main.streams,
        on_main.external_allocators,
        on_main.rt_events,
        on_main.notifies,
    )
    return Frame(holders, FrameSelector(holders, init_node, deinit, main), skeleton, main)


def _arguments(holders: HolderFactory, streams: int) -> _Arguments:
    count = holders.const(streams)
    split = holders.many("SplitRtStreams", streams, holders.feed(STREAM), count)
    external = holders.feed(EXTERNAL_ALLOCATORS)
    return _Arguments(split, external, holders.feed(RT_EVENTS), holders.feed(NOTIFIES))

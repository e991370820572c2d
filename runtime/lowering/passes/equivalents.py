"""Equivalents: allocators that Main picks anew and that stand on Init as well.

It owns the question which kernel of Main gives the very value a kernel of Init gives. GE asks the lowering's table of
unique holders; here the graph itself answers, so that a graph read from a dump has the same answers.

Source: spec/lowering.md 2.5 and 7.2.
"""

from runtime.graph.execute_graph import FastNode
from runtime.lowering.passes.parts import Endpoint, Parts, init_source

_DEVICE, _DEVICE_TWIN = "SelectL2Allocator", "CreateInitL2Allocator"
_HOST = "CreateHostL2Allocator"


def equivalents_of(parts: Parts) -> dict[FastNode, Endpoint]:
    """L2 allocators of stream 0 on Main, each with the output of its twin inside Init; without a twin, none."""
    twins: dict[tuple[str, Endpoint], Endpoint] = {}
    for edge in filter(None, parts.exit.in_data):
        key = _twin_key(edge.source)
        if key is not None:
            twins[key] = Endpoint(edge.source, 0)
    keys = ((node, _main_key(node, parts)) for node in parts.main_graph.nodes if node.type in (_DEVICE, _HOST))
    return {node: twins[key] for node, key in keys if key in twins}


def _twin_key(node: FastNode) -> tuple[str, Endpoint] | None:
    """What an allocator of Init draws from: the vector of L2 allocators, or the L1 allocator made for the host."""
    if node.type == _DEVICE_TWIN:
        vector = node.inputs[1]
        return None if vector is None else (_DEVICE, Endpoint(*vector))
    if node.type == _HOST:
        return _host_key(node)
    return None


def _host_key(node: FastNode) -> tuple[str, Endpoint] | None:
    select = node.inputs[0]
    created = None if select is None else select[0].inputs[2]
    return None if created is None else (_HOST, Endpoint(*created))


def _main_key(node: FastNode, parts: Parts) -> tuple[str, Endpoint] | None:
    if node.type == _HOST:
        key = _host_key(node)
        source = None if key is None else _inside_init(key[1], parts)
        return None if source is None else (_HOST, source)
    stream, vector = node.inputs[1], node.inputs[3]
    if stream is None or vector is None or stream[1] != 0:
        return None
    source = _inside_init(Endpoint(*vector), parts)
    return None if source is None else (_DEVICE, source)


def _inside_init(endpoint: Endpoint, parts: Parts) -> Endpoint | None:
    return init_source(endpoint.node, parts) if endpoint.node.type == "InnerData" else None

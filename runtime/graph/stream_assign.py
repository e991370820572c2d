"""Events of a model on several streams: one for each pair of nodes of which the second uses what the first gives.

GE's engines leave event numbers on the nodes of a compiled model; this stands in for them where a model is written by
hand. If each sample numbered its own events, a pair would be forgotten, and nothing but a wrong result would tell.

Source: spec/kerneltrace.md 10.4 (by producer, then by consumer; edges to NetOutput included).
"""

from runtime.graph.compute_graph import ComputeGraph, ComputeNode

SEND_ATTR, RECV_ATTR = "_send_event_ids", "_recv_event_ids"


def assign_events(graph: ComputeGraph) -> int:
    """Number the events of a model and the graphs below it, on the nodes; gives how many there are.

    Numbers that stood there before are replaced.
    """
    sent: dict[ComputeNode, list[int]] = {}
    received: dict[ComputeNode, list[int]] = {}
    number = 0
    for node in graph.all_nodes():
        for consumer in _consumers(node):
            if consumer.op.stream_id != node.op.stream_id:
                sent.setdefault(node, []).append(number)
                received.setdefault(consumer, []).append(number)
                number += 1
    for node in graph.all_nodes():
        for attribute, numbers in ((SEND_ATTR, sent), (RECV_ATTR, received)):
            node.op.attrs.pop(attribute, None)
            if node in numbers:
                node.op.attrs[attribute] = tuple(numbers[node])
    return number


def _consumers(node: ComputeNode) -> list[ComputeNode]:
    """Nodes that use the node or must run behind it, each once, in the order they were connected."""
    return list(dict.fromkeys([*(consumer for _, consumer, _ in node.consumers), *node.control_consumers]))

"""What leaves a branch: who releases it outside, and which value outside it may be one with.

It owns the changes to the ends of branches once all of them are written; each output is looked at across the
branches. A branch that is looked at alone cannot know whether its neighbour gives an owned value or a borrowed one.

Source: spec/lowering.md 4.12 (lifetime, chain conflict) and 1.5 (one value for connected end points).
"""

from collections.abc import Sequence

from runtime.graph.execute_graph import FastNode
from runtime.graph.value_holder import GUARDED_OUTSIDE

Source = tuple[FastNode, int]


def settle_guarders(owner: FastNode, ends: Sequence[FastNode]) -> dict[int, str]:
    """Move what releases outputs out of the branches; gives the type of the guarder that an output needs outside.

    ``ends`` are the InnerNetOutput of each branch. An output that one branch owns is owned in all of them: where it is
    only borrowed, one IdentityAddr per branch adds a reference.
    """
    needed: dict[int, str] = {}
    owned: list[dict[int, FastNode]] = []
    for end in ends:
        here: dict[int, FastNode] = {}
        seen: set[Source] = set()
        for slot, source in enumerate(end.inputs):
            assert source is not None
            guarder = _guarder_of(*source)
            outside = source[0].attrs.get(GUARDED_OUTSIDE)
            if guarder is not None:
                needed.setdefault(slot, guarder.type)
                if source not in seen:
                    here[slot] = guarder
            elif isinstance(outside, str):
                needed.setdefault(slot, outside)
            seen.add(source)
        owned.append(here)
    for number, (end, here) in enumerate(zip(ends, owned, strict=True), 1):
        for guarder in here.values():
            end.graph.remove_node(guarder)
        _refer(owner, number, end, [slot for slot in needed if slot not in here])
    return dict(sorted(needed.items()))


def settle_sources(owner: FastNode, ends: Sequence[FastNode]) -> None:
    """Keep outputs apart from inputs: one that is the same input in all branches shares its value, others get a copy.

    Without the copy, all end points that any branch connects would hold one value, and a branch that did not run
    would still join them.
    """
    for slot in range(len(ends[0].in_data)):
        passed = [_passed_input(end.inputs[slot]) for end in ends]
        kinds = set(passed)
        if kinds == {None}:
            continue
        if len(kinds) > 1:
            for end in ends:
                _insert(end, [slot], "PointFromInputs", f"{owner.name}_PointFrom_{slot}")
            continue
        shared = owner.inputs[passed[0]] if passed[0] is not None else None
        if shared is not None:
            owner.output_refs[slot] = (shared[0].name, shared[1])


def _guarder_of(node: FastNode, output: int) -> FastNode | None:
    wanted = node.attrs.get("GuarderNodeType")
    for edge in node.out_data[output]:
        if edge.target.type == wanted and edge.target.attrs.get("ReleaseResourceIndex") == edge.target_input:
            return edge.target
    return None


def _passed_input(source: Source | None) -> int | None:
    """The input of the owner that leaves as it came, None for a value that was made inside."""
    if source is None or source[0].type != "InnerData":
        return None
    index = source[0].attrs["index"]
    assert isinstance(index, int)
    return index


def _refer(owner: FastNode, number: int, end: FastNode, slots: list[int]) -> None:
    if slots:
        _insert(end, slots, "IdentityAddr", f"{owner.name}_Subgraph_{number}_AddResRef_{slots[0]}")


def _insert(end: FastNode, slots: list[int], type_name: str, name: str) -> None:
    """Put a kernel between the end of a branch and what some of its inputs read."""
    graph = end.graph
    between = graph.add_node(name, type_name, len(slots), len(slots))
    index = end.attrs.get("ComputeNodeIndex")
    if index is not None:
        between.attrs["ComputeNodeIndex"] = index
    for position, slot in enumerate(slots):
        edge = end.in_data[slot]
        assert edge is not None
        graph.remove_edge(edge)
        graph.add_edge(edge.source, edge.source_output, between, position)
        graph.add_edge(between, position, end, slot)

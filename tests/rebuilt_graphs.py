"""Execute graphs rebuilt from GE's own dumps, and what GE's logs say of their runs."""

import gzip
import re
from pathlib import Path

from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.snapshot import GraphSnapshot, SnapshotEdge, SnapshotGraph
from runtime.graph.execute_graph import ExecuteGraph, FastNode

_PEERS = "_src_out_peer_index_for_ge_txt_load"
_KERNEL_END = re.compile(r"OnExecuteEvent:\[KernelTrace\]\[(?P<name>[^\]]+)\]")
_START, _END = "[KernelTrace] Start model tracing", "[KernelTrace] End model tracing"


def rebuilt(cases: Path, case: str, stage: str) -> ExecuteGraph:
    """Read a dump of a truth case and build its execute graph, consumers in GE's order, without compute nodes."""
    (path,) = (cases / "truth" / "dumps" / case).glob(f"ge_proto_*_{stage}.txt.gz")
    snapshot = read_ge_proto(path)
    root = ExecuteGraph(snapshot.root)
    _fill(root, snapshot.graphs[snapshot.root], snapshot)
    return root


def traced_runs(cases: Path, case: str) -> list[list[str]]:
    """List the kernels of each traced run of a truth case's log, in the order of their End lines."""
    runs: list[list[str]] = []
    with gzip.open(cases / "truth" / "logs" / f"{case}.log.gz", "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if _START in line:
                runs.append([])
            elif runs and (found := _KERNEL_END.search(line)) and _END not in line:
                runs[-1].append(found["name"])
    return [_without_repeats(run) for run in runs]


def _without_repeats(run: list[str]) -> list[str]:
    """A kernel may say several lines in a row; none runs twice in a row."""
    return [name for at, name in enumerate(run) if at == 0 or run[at - 1] != name]


def _fill(graph: ExecuteGraph, picture: SnapshotGraph, snapshot: GraphSnapshot) -> None:
    nodes: list[FastNode] = []
    for seen in picture.nodes:
        node = graph.add_node(seen.name, seen.type, seen.inputs, seen.outputs)
        node.attrs.update((key, value) for key, value in seen.attrs.items() if key != "ComputeNodeIndex")
        for index in range(seen.outputs):
            name = seen.attrs.get(f"output_desc_RefFromNode:{index}")
            if isinstance(name, str):
                node.output_refs[index] = (name, int(str(seen.attrs[f"output_desc_RefFromIndex:{index}"])))
        nodes.append(node)
    for edge in sorted(picture.edges, key=lambda edge: _leaves_as(edge, picture)):
        graph.add_edge(nodes[edge.source], edge.source_output, nodes[edge.target], edge.target_input)
    for seen, node in zip(picture.nodes, nodes, strict=True):
        for name in seen.subgraphs:
            inner = ExecuteGraph(name)
            graph.add_subgraph(node, inner)
            _fill(inner, snapshot.graphs[name], snapshot)


def _leaves_as(edge: SnapshotEdge, picture: SnapshotGraph) -> tuple[int, int, int]:
    """Dumps tell the order of the consumers of an output; control edges are taken to be as old as their target."""
    target = picture.nodes[edge.target]
    if edge.is_control:
        return edge.source, edge.source_output, int(target.name.rpartition("_")[2]) if target.name[-1].isdigit() else 0
    peers = target.attrs[_PEERS]
    assert isinstance(peers, tuple)
    position = peers[edge.target_input] if edge.target_input < len(peers) else 0
    assert isinstance(position, int)
    return edge.source, edge.source_output, position

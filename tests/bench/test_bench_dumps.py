"""The operator table of a ge_proto dump of 100 MB: time and memory of its process, against protobuf's parser."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from ge_messages import parse_content
from large_dumps import write_proto
from process_peak import PEAK

pytestmark = pytest.mark.bench

SIZE, PART = 108_000_000, 4_000_000
"""Bytes that are asked for, a little more than come; and of the smaller one for protobuf, which needs a minute else."""

TABLE = f"""{PEAK}
import sys, time
from pathlib import Path
from getrace.dumps.formats import read_dump
before, start = peak(), time.process_time()
graphs = read_dump(Path(sys.argv[1])).graphs.values()
table = [(node.name, node.type, node.inputs, node.outputs, node.topo_id) for graph in graphs for node in graph.nodes]
edges = sum(len(graph.edges) for graph in graphs)
print(time.process_time() - start, peak() - before, len(table), edges)
"""


def operator_table(path: Path) -> tuple[float, int, int, int]:
    """Give seconds of the processor, bytes that the process grew at most, operators and edges."""
    command = [sys.executable, "-c", TABLE, str(path)]
    seconds, grown, nodes, edges = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(seconds), int(grown), int(nodes), int(edges)


def test_the_operators_of_100_mb_come_in_2_seconds_and_400_mb(tmp_path: Path) -> None:
    large, small = tmp_path / "ge_proto_00000000_graph_1_Build.txt", tmp_path / "ge_proto_00000001_graph_1_Build.txt"
    write_proto(large, SIZE)
    write_proto(small, PART)
    runs = [operator_table(large) for _ in range(3)]
    start = time.process_time()
    parsed = parse_content(small.read_bytes())
    theirs = (time.process_time() - start) * large.stat().st_size / small.stat().st_size
    seconds, grown, nodes, edges = min(runs)
    size = large.stat().st_size / 1e6
    print(
        f"\n{size:.0f} MB, {nodes} operators: {seconds:.2f} s, {grown / 1e6:.0f} MB; "
        f"protobuf {theirs:.0f} s by a part of {small.stat().st_size / 1e6:.0f} MB, ratio {theirs / seconds:.0f}"
    )
    assert len(parsed.ListFields()) == 1
    assert size > 100
    assert (nodes, edges) == (54_000, 115_711)
    assert seconds <= 2
    assert grown <= 400e6
    assert theirs >= 10 * seconds

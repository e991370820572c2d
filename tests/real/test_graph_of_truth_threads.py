"""A real execute graph of sixteen chains, whose frames of operators contradict each other when ranked one by one."""

from pathlib import Path

import pytest

from getrace.dumps.formats import read_dump
from views.graph import draw

pytestmark = pytest.mark.real

DUMP = (
    "truth/dumps/TruthSingleStream.chain16_multithread3_by_single/"
    "ge_proto_00000008_graph_0_chain16_multithread3_by_single.txt.gz"
)


def test_its_943_nodes_are_drawn_one_by_one(cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.svg"
    drawing = draw([read_dump(cases / DUMP)], out=out)
    assert (drawing.nodes, drawing.drawn, drawing.collapsed) == (943, 943, False)
    assert out.read_bytes().count(b'class="node"') > 943
